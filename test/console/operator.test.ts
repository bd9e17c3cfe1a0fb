import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { call, testDelivery, untilDelivery } from './support/call.ts'
import { type ConsoleServer, startConsoleServer } from './support/console-server.ts'
import { waitUntilLoaded } from './support/sign-in.ts'
import { story, storyBrowser } from './support/story.ts'
import { type Visit, visit } from './support/visit.ts'

/** An operator creates an organization, acts for it, and manages event types and jobs. */
let browser: Browser
let server: ConsoleServer
let reader: Visit
let page: Page

beforeAll(async () => {
  browser = await storyBrowser()
  // A failed delivery stays pending for an hour, unless somebody acts on it.
  server = await startConsoleServer({ environment: { POSTHORN_RETRY_SCHEDULE: '1h,1h' } })
  reader = await visit(browser, { origins: [server.url], signedInTo: server })
  page = reader.page
})
afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

story(
  'an operator creates an organization and its first API key, whose token shows once',
  async () => {
    await open('/organizations')
    await page.getByRole('link', { name: 'Create organization' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Riverside Museum')
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await dialog.getByRole('link', { name: 'Create first API key' }).click()
    await page.getByRole('button', { name: /now acting for Riverside Museum$/ }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/console\/as\/org_[0-9a-z]{26}\/api-keys$/)

    const form = page.getByRole('dialog')
    await form.getByLabel('Name').fill('First of the museum')
    await form.getByRole('button', { name: /Publisher/ }).click()
    await form.getByRole('button', { name: /^Create/ }).click()
    await page.getByText('it will not be shown again').waitFor()
    const key = await page.getByLabel(/^Token of/).inputValue()
    const { viewer } = await server.graphql<{ viewer: { organization: { name: string } } }>(
      '{ viewer { organization { name } } }',
      {},
      key,
    )
    expect(viewer.organization.name).toBe('Riverside Museum')
    await page.reload()
    await waitUntilLoaded(page)
    expect(await page.content()).not.toContain(key)
  },
)

story('a webhook created for another organization belongs to that organization only', async () => {
  await open('/organizations')
  await page.getByLabel('Search', { exact: true }).fill('no such name')
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await page.getByLabel('Search', { exact: true }).fill('river')
  await page.getByRole('link', { name: 'Open Riverside Museum' }).click()
  await waitUntilLoaded(page)
  await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click()
  await page.getByRole('link', { name: 'Create webhook' }).first().click()
  await page.getByLabel('URL').fill(`${server.receiver.url}museum`)
  await page.getByRole('checkbox', { name: JOINED }).check()
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByRole('tab', { name: 'Settings' }).waitFor()
  await page.getByRole('button', { name: 'Account and appearance' }).click()
  await page.getByRole('menuitem', { name: 'Back to your own organization' }).click()
  await open('/webhooks')
  await page.getByText('webhook', { exact: false }).first().waitFor()
  expect(await page.getByText('museum').count()).toBe(0)
})

story('an operator gives an event type search keys, and corrects a path', async () => {
  await open('/event-types/new')
  await page.getByLabel('Name').fill('order.keyed')
  await page.getByLabel('Description').fill('An order.')
  const keys = page.getByLabel('Search keys')
  await keys.fill('$.order.id\ncustomer.id')
  await page.getByRole('button', { name: 'Create event type' }).click()
  await page.getByText('searchKeys[1] must be a path such as $.order.id').waitFor()
  await keys.fill('$.order.id\n\n$.customer.id\n')
  await page.getByRole('button', { name: 'Create event type' }).click()
  await page.getByText('$.order.id, $.customer.id').waitFor()

  await page.getByRole('link', { name: 'Edit' }).click()
  expect(await keys.inputValue()).toBe('$.order.id\n$.customer.id')
  await keys.fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('No example.').waitFor()
  await page.getByText('Search keys', { exact: true }).waitFor({ state: 'detached' })
  expect(reader.pageErrors).toEqual([])
})

story('the job of a pending delivery leads to the delivery', async () => {
  const id = await failingDelivery()
  await open('/jobs?task=posthorn:deliver')
  const row = page.getByRole('row').filter({ hasText: id.slice(-6) })
  await row.getByRole('link', { name: /^Details of/ }).click()
  await page.getByText('HTTP 500', { exact: false }).first().waitFor()
  await page.getByRole('link', { name: 'Open the delivery' }).click()
  await page.waitForURL(`**/deliveries/${id}`)
  expect(reader.pageErrors).toEqual([])
})

async function open(path: string): Promise<void> {
  await page.goto(`${server.url}/console${path}`)
  await waitUntilLoaded(page)
}

/** Creates a delivery whose first attempt failed, and whose next attempt is in an hour. */
async function failingDelivery(): Promise<string> {
  server.receiver.answer = (response) => response.writeHead(500).end()
  const input = { url: server.receiver.url, enabled: true, eventSubscriptions: [JOINED] }
  const { webhook } = await call<{ webhook: { id: string } }>(
    server,
    'createWebhook',
    { input: ['CreateWebhookInput!', input] },
    'webhook { id }',
  )
  const id = await testDelivery(server, webhook.id, JOINED)
  await untilDelivery(server, id, ({ attemptCount }) => attemptCount === 1, 'it fails')
  return id
}
