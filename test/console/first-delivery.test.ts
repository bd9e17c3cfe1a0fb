import { beforeAll, expect } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { startConsoleServer } from './support/console-server.ts'
import { openDesk, page, reader, server, story } from './support/desk.ts'
import { waitUntilLoaded } from './support/sign-in.ts'

/* From a new installation to a delivery, in the console alone. */

openDesk(startConsoleServer, { scopes: null })

beforeAll(async () => {
  // The request before the sign-in.
  reader.expectPageErrors(/status of 401/)
})

story('a new installation delivers its first event', async () => {
  await page.goto(server.signInLink)
  await page.getByText('No webhooks yet').waitFor()
  await page.getByRole('link', { name: 'Create webhook' }).first().click()
  await page.getByText('npx posthorn listen --register').waitFor()
  await page.getByLabel('URL').fill(server.receiver.url)
  await page.getByRole('checkbox', { name: JOINED }).check()
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByText('Webhook created.').waitFor()

  await page.goto(`${server.url}/console/events?publish`)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByText('Published, with 1 delivery.').waitFor()
  await server.receiver.arrival(1)
})

story('with a webhook, the overview shows no way to the first one', async () => {
  await page.goto(`${server.url}/console/overview`)
  await page.getByRole('heading', { name: 'Attempts over time' }).waitFor()
  await waitUntilLoaded(page)
  expect(await page.getByText('No webhooks yet').count()).toBe(0)
})
