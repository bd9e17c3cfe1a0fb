import { beforeAll, expect } from 'vitest'
import { call, createWebhook } from './support/call.ts'
import { JOINED } from './support/catalogue.ts'
import { startConsoleServer } from './support/console-server.ts'
import { open, openDesk, page, server, story } from './support/desk.ts'
import { waitUntilLoaded } from './support/sign-in.ts'

/* The charts of attempts: from a bar to its attempts. */

let webhookId: string

openDesk(() => startConsoleServer({ environment: { POSTHORN_RETRY_SCHEDULE: '' } }))

beforeAll(async () => {
  webhookId = await createWebhook(server, { enabled: true })
  await publish(2)
  server.receiver.answer = (response) => response.writeHead(503).end('closed')
  await publish(1)
})

story('a click on a part of a bar opens exactly its attempts', async () => {
  await open(`/webhooks/${webhookId}?range=1h`)
  await attempts().locator('.ph-chart').waitFor()
  await attempts().getByText('5xx', { exact: true }).waitFor()
  await attempts().locator('a[data-class="failed5xx"]').last().click()
  await page.waitForURL(/\/attempts\?/)
  const { searchParams } = new URL(page.url())
  const since = Date.parse(searchParams.get('since') ?? '')
  const until = Date.parse(searchParams.get('until') ?? '')
  expect(until - since).toBe(60_000)
  expect(searchParams.get('status')).toBe('SERVER_ERROR_5XX')
  expect(searchParams.get('webhook')).toBe(webhookId)
  await waitUntilLoaded(page)
  await page.getByRole('cell', { name: /503/ }).waitFor()
  await expect.poll(() => page.locator('main tbody tr').count()).toBe(1)
})

const attempts = () => page.getByRole('region', { name: /^Attempts/ })

async function publish(count: number): Promise<void> {
  const before = server.receiver.received.length
  const events = Array.from({ length: count }, (_, number) => ({
    type: JOINED,
    data: { attendee: number },
  }))
  await call(server, 'publishEvents', { input: { events } })
  await server.receiver.arrival(before + count)
}
