import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { call, testDelivery } from './support/call.ts'
import { type ConsoleServer, startConsoleServer } from './support/console-server.ts'
import { untilLive, waitUntilLoaded } from './support/sign-in.ts'
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

const UNREACHABLE =
  /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|status of 50\d|dynamically imported module/

story('a page reports that the server is unreachable, and recovers without a reload', async () => {
  await using reader = await visit(browser, { origins: [server.url], signedInTo: server })
  const { page } = reader
  reader.expectPageErrors(UNREACHABLE)
  await page.goto(`${server.url}/console/overview`)
  await waitUntilLoaded(page)
  await server.kill()
  // Neither the data nor the script of this page was loaded before.
  await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click()
  await page.getByText('Posthorn is unreachable', { exact: true }).waitFor()
  await server.start()
  await page.getByText(server.receiver.url).first().waitFor({ timeout: 30_000 })
})

story(
  'the live page reports an interruption, and continues after the server restarts',
  async () => {
    await using reader = await visit(browser, { origins: [server.url], signedInTo: server })
    const { page } = reader
    reader.expectPageErrors(UNREACHABLE)
    await page.goto(`${server.url}/console/live`)
    await untilLive(page)
    await testDelivery(server, webhookId, JOINED)
    const rows = page.getByRole('row').filter({ hasText: JOINED })
    await expect.poll(() => rows.count()).toBe(1)
    await server.kill()
    await page.getByRole('status').filter({ hasText: 'Interrupted' }).waitFor()
    await server.start()
    await untilLive(page)
    await testDelivery(server, webhookId, JOINED)
    await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(2)
    await waitUntilLoaded(page)
  },
)
