import { beforeAll, expect } from 'vitest'
import { call, createWebhook } from './support/call.ts'
import { JOINED } from './support/catalogue.ts'
import { startConsoleServer } from './support/console-server.ts'
import { openDesk, reader, server, story } from './support/desk.ts'
import { waitUntilLoaded } from './support/sign-in.ts'

/* The charts of attempts: from a bar to its attempts. */

let webhookId: string

openDesk(() => startConsoleServer({ environment: { POSTHORN_RETRY_SCHEDULE: '' } }))

beforeAll(async () => {
  webhookId = await createWebhook(server, {
    url: server.receiver.url,
    eventSubscriptions: [JOINED],
    enabled: true,
  })
  await publish(2)
  server.receiver.answer = (response) => response.writeHead(503).end('closed')
  await publish(1)
})

story('a click on a part of a bar opens exactly its attempts', async () => {
  const { page } = reader
  await open(`/webhooks/${webhookId}?range=1h`)
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

const attempts = () => reader.page.getByRole('region', { name: /^Attempts/ })

async function open(path: string): Promise<void> {
  await reader.page.goto(`${server.url}/console${path}`)
  await waitUntilLoaded(reader.page)
  await attempts().locator('.ph-chart').waitFor()
}

async function publish(count: number): Promise<void> {
  const before = server.receiver.received.length
  const events = Array.from({ length: count }, (_, number) => ({
    type: JOINED,
    data: { attendee: number },
  }))
  await call(server, 'publishEvents', { input: ['PublishEventsInput!', { events }] })
  await server.receiver.arrival(before + count)
}
