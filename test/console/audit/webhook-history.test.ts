import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { parseId } from '../../../src/db/ids.ts'
import { JOINED } from '../../support/factories.ts'
import { call } from '../support/call.ts'
import { type ConsoleServer, startConsoleServer } from '../support/console-server.ts'
import { waitUntilLoaded } from '../support/sign-in.ts'
import { story, storyBrowser } from '../support/story.ts'
import { violations } from '../support/violations.ts'
import { type Visit, visit } from '../support/visit.ts'

/** Somebody asks who changed a webhook yesterday. */
let browser: Browser
let server: ConsoleServer
let reader: Visit
let page: Page
let webhookId: string

beforeAll(async () => {
  browser = await storyBrowser()
  server = await startConsoleServer()
  const input = { url: server.receiver.url, description: 'Before', eventSubscriptions: [JOINED] }
  const { webhook } = await call<{ webhook: { id: string } }>(
    server,
    'createWebhook',
    { input: ['CreateWebhookInput!', input] },
    'webhook { id }',
  )
  webhookId = webhook.id
  await call(server, 'updateWebhook', {
    id: ['ID!', webhookId],
    input: ['UpdateWebhookInput!', { description: 'After', enabled: true }],
  })
  await call(server, 'rotateSigningSecret', { id: ['ID!', webhookId] })
  await using database = await server.openDatabase()
  await database.pool.query(
    `insert into posthorn.webhook_holds (webhook_id, started_at, ended_at)
     values ($1, now() - interval '10 min', now() - interval '5 min')`,
    [parseId('webhook', webhookId)],
  )
  reader = await visit(browser, { origins: [server.url], signedInTo: server })
  page = reader.page
})
afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

async function open(path: string): Promise<void> {
  await page.goto(`${server.url}/console${path}`)
  await waitUntilLoaded(page)
}

story('a webhook shows who changed what and when, with its holds, newest first', async () => {
  await open(`/webhooks/${webhookId}`)
  await page.getByRole('tab', { name: 'History' }).click()
  const rows = page.getByRole('table', { name: 'History, newest first' }).locator('tbody tr')
  await rows.filter({ hasText: 'Put on hold' }).waitFor()
  const texts = await rows.allInnerTexts()
  const labels = texts.map(
    (text) =>
      /Signing secret rotated|Webhook changed|Webhook created|Put on hold|Hold ended/.exec(
        text,
      )?.[0],
  )
  expect(labels).toEqual([
    'Signing secret rotated',
    'Webhook changed',
    'Webhook created',
    'Hold ended',
    'Put on hold',
  ])
  expect(texts[1]).toMatch(/description: Before → After/)
  expect(texts[1]).toMatch(/enabled: false → true/)
  expect(texts[1]).toMatch(/Initial key/)
  expect(texts[4]).toMatch(/Posthorn/)
  expect(await violations(page)).toEqual([])

  await rows.nth(1).getByRole('link').first().focus()
  await page.keyboard.press('Enter')
  const entry = page.getByRole('dialog', { name: 'Webhook changed' })
  await entry.getByText('Before', { exact: true }).waitFor()
  expect(new URL(page.url()).searchParams.get('tab')).toBe('history')
})

story('the audit log begins without sessions and sign-ins, and shows them on request', async () => {
  await open('/audit-log')
  const rows = page.getByRole('table', { name: 'Changes, newest first' }).locator('tbody tr')
  await rows.filter({ hasText: 'Webhook created' }).waitFor()
  expect(await rows.filter({ hasText: 'Signed in' }).count()).toBe(0)
  await page.getByRole('link', { name: 'Show them' }).click()
  await rows.filter({ hasText: 'Signed in' }).first().waitFor()
  expect(await rows.filter({ hasText: 'Webhook created' }).count()).toBe(0)
})
