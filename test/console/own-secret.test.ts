import { randomBytes } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { call } from './support/call.ts'
import { type ConsoleServer, startConsoleServer } from './support/console-server.ts'
import { waitUntilLoaded } from './support/sign-in.ts'
import { story, storyBrowser } from './support/story.ts'
import { violations } from './support/violations.ts'
import { type Visit, visit } from './support/visit.ts'

/** Somebody moves in from another sender: the webhook shows how it is signed, and takes the secret of the receiver. */
let browser: Browser
let server: ConsoleServer
let reader: Visit
let page: Page
let webhookId: string

beforeAll(async () => {
  browser = await storyBrowser()
  server = await startConsoleServer()
  const input = {
    url: `${server.receiver.url}moved`,
    eventSubscriptions: [JOINED],
    headerPrefix: 'svix-',
  }
  const { webhook } = await call<{ webhook: { id: string } }>(
    server,
    'createWebhook',
    { input: ['CreateWebhookInput!', input] },
    'webhook { id }',
  )
  webhookId = webhook.id
  reader = await visit(browser, { origins: [server.url], signedInTo: server })
  page = reader.page
})
afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
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
