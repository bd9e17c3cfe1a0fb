import { beforeAll, expect } from 'vitest'
import { call, createWebhook } from './support/call.ts'
import { JOINED } from './support/catalogue.ts'
import { startConsoleServer } from './support/console-server.ts'
import { open, openDesk, page, server, story } from './support/desk.ts'
import { waitUntilLoaded } from './support/sign-in.ts'
import { violations } from './support/violations.ts'

/* The chart of attempts: from a part of a bar, or a row of its table, to its deliveries. */

let webhookId: string

openDesk(() => startConsoleServer({ environment: { POSTHORN_RETRY_SCHEDULE: '' } }))

beforeAll(async () => {
  webhookId = await createWebhook(server, { enabled: true })
  await publish(2)
  server.receiver.answer = (response) => response.writeHead(503).end('closed')
  await publish(1)
})

story('a click on a part of a bar opens exactly its deliveries', async () => {
  await open(`/webhooks/${webhookId}?range=1h`)
  await attempts().getByText('5xx', { exact: true }).waitFor()
  await attempts().locator('.ph-bar-failed5xx path').last().click()
  await page.waitForURL(/\/deliveries\?/)
  const { searchParams } = new URL(page.url())
  expect(minutesOf(searchParams)).toBe(1)
  expect(searchParams.get('status')).toBe('SERVER_ERROR_5XX')
  expect(searchParams.get('webhook')).toBe(webhookId)
  await waitUntilLoaded(page)
  await page.getByRole('cell', { name: /503/ }).waitFor()
  await expect.poll(() => page.locator('main tbody tr').count()).toBe(1)
})

story('the table of the chart has the same numbers, and leads to the same deliveries', async () => {
  await open(`/webhooks/${webhookId}`)
  await attempts().getByRole('button', { name: 'Show as a table' }).click()
  const row = attempts().getByRole('row').last()
  expect(await row.getByRole('cell').allInnerTexts()).toEqual(['2', '1'])
  expect(await violations(page)).toEqual([])
  await row.getByRole('link').click()
  await page.waitForURL(/\/deliveries\?/)
  expect(minutesOf(new URL(page.url()).searchParams)).toBe(60)
})

function minutesOf(params: URLSearchParams): number {
  const at = (name: string) => Date.parse(params.get(name) ?? '')
  return (at('until') - at('since')) / 60_000
}

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
