import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { call, testDelivery } from './support/call.ts'
import { type ConsoleServer, startConsoleServer } from './support/console-server.ts'
import { settled } from './support/sign-in.ts'
import { story, storyBrowser } from './support/story.ts'
import { visit } from './support/visit.ts'

let browser: Browser
let server: ConsoleServer
let webhookId: string

beforeAll(async () => {
  browser = await storyBrowser()
  server = await startConsoleServer()
  const { webhook } = await call<{ webhook: { id: string } }>(
    server,
    'createWebhook',
    {
      input: [
        'CreateWebhookInput!',
        { url: server.receiver.url, enabled: true, eventSubscriptions: [JOINED] },
      ],
    },
    'webhook { id }',
  )
  webhookId = webhook.id
})
afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

const AWAY =
  /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|status of 50\d|dynamically imported module/

story('while the server is away a page says so, and it comes back by itself', async () => {
  await using reader = await visit(browser, { origins: [server.url], signedInTo: server })
  const { page } = reader
  reader.expectTroubles(AWAY)
  await page.goto(`${server.url}/console/overview`)
  await settled(page)
  await server.kill()
  // A page whose data was not asked for yet; its program is fetched from the server too.
  await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click()
  await page.getByRole('alert').first().waitFor()
  await server.start()
  await page.getByText(server.receiver.url).first().waitFor({ timeout: 30_000 })
})

story(
  'a tail of what happens says when it is interrupted, and goes on after the restart',
  async () => {
    await using reader = await visit(browser, { origins: [server.url], signedInTo: server })
    const { page } = reader
    reader.expectTroubles(AWAY)
    await page.goto(`${server.url}/console/live`)
    await settled(page)
    await testDelivery(server, webhookId, JOINED)
    const rows = page.getByRole('row').filter({ hasText: JOINED })
    await expect.poll(() => rows.count()).toBe(1)
    await server.kill()
    const connection = page.getByRole('status')
    await connection.filter({ hasText: 'Interrupted' }).waitFor()
    await server.start()
    await connection.filter({ hasText: /^Live$/ }).waitFor({ timeout: 30_000 })
    await testDelivery(server, webhookId, JOINED)
    await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(2)
    await settled(page)
  },
)
