import { beforeAll, expect } from 'vitest'
import { call, createWebhook } from './support/call.ts'
import { JOINED } from './support/catalogue.ts'
import { startConsoleServer } from './support/console-server.ts'
import { browser, openDesk, reader, server, story } from './support/desk.ts'
import { waitUntilLoaded } from './support/sign-in.ts'
import { visit } from './support/visit.ts'

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

story('the same numbers and links stand in a table, in local time or in UTC', async () => {
  const { page } = reader
  await open('/overview?range=24h')
  await attempts().getByRole('button', { name: 'Show as a table' }).press('Enter')
  const rows = attempts().getByRole('table', { name: 'Attempts' }).getByRole('row')
  expect(await rows.first().innerText()).toMatch(/Time\s+2xx\s+5xx/)
  expect(await rows.last().innerText()).toMatch(/\s2\s+1$/)
  expect(await rows.last().textContent()).not.toContain('UTC')
  await page.getByRole('radiogroup', { name: 'Time zone' }).getByText('UTC').click()
  await rows.last().getByText('UTC').waitFor()
  await page.reload()
  await waitUntilLoaded(page)
  expect(await page.getByRole('radio', { name: 'UTC' }).isChecked()).toBe(true)
  await page.getByRole('radiogroup', { name: 'Time zone' }).getByText('Local').click()
  await attempts().getByRole('button', { name: 'Show as a table' }).press('Enter')
  await rows.last().getByRole('link').press('Enter')
  await page.waitForURL(/\/attempts\?since=/)
  await expect.poll(() => page.locator('main tbody tr').count()).toBe(3)
})

story.each([360, 1440])('at %i pixels, no label sticks out of its chart', async (width) => {
  const { page } = reader
  await page.setViewportSize({ width, height: 800 })
  for (const range of ['1h', '24h', '7d', '30d']) {
    await open(`/webhooks/${webhookId}?range=${range}`)
    expect(await page.evaluate<string[]>(LABELS_OUTSIDE), range).toEqual([])
  }
})

const LABELS_OUTSIDE = `
  [...document.querySelectorAll('.ph-chart')].flatMap((chart) => {
    const box = chart.getBoundingClientRect()
    return [...chart.querySelectorAll('span')]
      .filter((label) => {
        const { left, right } = label.getBoundingClientRect()
        return left < box.left || right > box.right + 1
      })
      .map((label) => label.textContent)
  })
`

story('while the server is away, the last numbers stay, dimmed, and time goes on', async () => {
  await reader.page.goto('about:blank')
  await using other = await visit(browser, { origins: [server.url], signedInTo: server })
  other.expectPageErrors(/./)
  const { page } = other
  await page.clock.install()
  await page.goto(`${server.url}/console/webhooks/${webhookId}?range=1h`)
  await waitUntilLoaded(page)
  const chart = page.locator('.ph-chart')
  await chart.waitFor()
  await server.kill()
  await page.clock.fastForward('02:00')
  await page.locator('.ph-page[data-stale]').waitFor()
  await chart.waitFor()
  await server.start()
  await page.clock.fastForward('00:10')
  await page.locator('.ph-page[data-stale]').waitFor({ state: 'detached' })
  await chart.waitFor()
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
