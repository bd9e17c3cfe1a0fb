import { beforeAll, expect } from 'vitest'
import { parseId } from '../../../src/db/ids.ts'
import { JOINED } from '../../support/factories.ts'
import { call, createWebhook } from '../support/call.ts'
import { open, openDesk, page, server, story } from '../support/desk.ts'
import { violations } from '../support/violations.ts'

/** Somebody asks who changed a webhook yesterday. */
let webhookId: string

openDesk()

beforeAll(async () => {
  const input = { url: server.receiver.url, description: 'Before', eventSubscriptions: [JOINED] }
  webhookId = await createWebhook(server, input)
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
})

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
