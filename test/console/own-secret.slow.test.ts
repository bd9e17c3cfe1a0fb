import { randomBytes } from 'node:crypto'
import { beforeAll, expect } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { createWebhook } from './support/call.ts'
import { openDesk, page, server, story } from './support/desk.ts'
import { waitUntilLoaded } from './support/sign-in.ts'
import { violations } from './support/violations.ts'

/** Somebody moves in from another sender: the webhook shows how it is signed, and takes the secret of the receiver. */
let webhookId: string

openDesk()

beforeAll(async () => {
  const input = {
    url: `${server.receiver.url}moved`,
    eventSubscriptions: [JOINED],
    headerPrefix: 'svix-',
  }
  webhookId = await createWebhook(server, input)
})

async function open(tab: string): Promise<void> {
  await page.goto(`${server.url}/console/webhooks/${webhookId}?tab=${tab}`)
  await waitUntilLoaded(page)
}

story('the settings show the names of the headers', async () => {
  await open('settings')
  await page.getByText('svix-id, svix-timestamp, svix-signature').waitFor()
  expect(await violations(page)).toEqual([])
})

story('a rotation takes a secret of one’s own, and refuses one that is none', async () => {
  await open('secret')
  await page.getByText(/headerPrefix: 'svix-'/).waitFor()
  await page.getByRole('button', { name: 'Rotate', exact: true }).click()
  const dialog = page.getByRole('dialog')
  const field = dialog.getByLabel('A secret of your own')
  await field.fill('not-a-secret')
  await dialog.getByRole('button', { name: 'Rotate', exact: true }).click()
  await page.getByText('must be whsec_ and 24 to 64 bytes').first().waitFor()
  expect(await violations(page)).toEqual([])

  const secret = `whsec_${randomBytes(24).toString('base64')}`
  await field.fill(secret)
  await dialog.getByRole('button', { name: 'Rotate', exact: true }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByText(secret).first().waitFor()
  await page.getByText('This secret no longer signs deliveries.').waitFor()
})
