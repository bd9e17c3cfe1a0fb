import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { call } from './support/call.ts'
import { JOINED } from './support/catalogue.ts'
import { type ConsoleServer, startConsoleServer } from './support/console-server.ts'
import { waitUntilLoaded } from './support/sign-in.ts'
import { story, storyBrowser } from './support/story.ts'
import { type Visit, visit } from './support/visit.ts'

/* The charts of attempts: from a bar to its attempts, and from a wide range to a narrow one. */

let browser: Browser
let server: ConsoleServer
let reader: Visit
let webhookId: string

beforeAll(async () => {
  browser = await storyBrowser()
  server = await startConsoleServer({ environment: { POSTHORN_RETRY_SCHEDULE: '' } })
  const { webhook } = await call<{ webhook: { id: string } }>(
    server,
    'createWebhook',
    {
      input: [
        'CreateWebhookInput!',
        { url: server.receiver.url, eventSubscriptions: [JOINED], enabled: true },
      ],
    },
    'webhook { id }',
  )
  webhookId = webhook.id
  await publish(2)
  server.receiver.answer = (response) => response.writeHead(503).end('closed')
  await publish(1)
  reader = await visit(browser, { origins: [server.url], signedInTo: server })
})
afterAll(async () => {
  await reader?.[Symbol.asyncDispose]()
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

story('a click on a part of a bar opens exactly its attempts', async () => {
  const { page } = reader
  await open(`/webhooks/${webhookId}?range=1h`)
  await attempts().getByText('5xx', { exact: true }).waitFor()
  await attempts().locator('[data-part="3"]').last().click()
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

story('the keyboard reaches each bar, and opens the attempts of a bar that has some', async () => {
  const { page } = reader
  // Its bars are days: an hour can have ended since the attempts.
  await open('/overview?range=30d')
  const chart = attempts().getByRole('slider').first()
  await chart.focus()
  await page.keyboard.press('Home')
  expect(await chart.getAttribute('aria-valuetext')).toMatch(/, 2xx: 0$/)
  const before = page.url()
  await page.keyboard.press('Enter')
  expect(page.url()).toBe(before)
  await page.keyboard.press('End')
  expect(await chart.getAttribute('aria-valuetext')).toMatch(/2xx: 2, 5xx: 1$/)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/attempts\?/)
})

story('a drag and the keyboard zoom, a click does not, and Back returns', async () => {
  const { page } = reader
  await open('/overview?range=24h')
  const chart = attempts().getByRole('slider').first()
  await chart.scrollIntoViewIfNeeded()
  const box = await chart.boundingBox()
  if (!box) throw new Error('The chart has no box.')
  const y = box.y + box.height / 2
  await page.mouse.move(box.x + box.width * 0.5, y)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.6, y, { steps: 4 })
  await page.mouse.up()
  await page.waitForURL(/[?&]from=/)
  await page.getByLabel('From', { exact: true }).waitFor()
  await page.goBack()
  await page.getByLabel('From', { exact: true }).waitFor({ state: 'detached' })

  await page.mouse.click(box.x + box.width * 0.5, y)
  expect(page.url()).not.toContain('from=')
  await attempts().getByRole('slider').first().focus()
  for (const key of ['End', 'Shift+ArrowLeft', 'Shift+ArrowLeft', 'Enter']) {
    await page.keyboard.press(key)
  }
  await page.waitForURL(/[?&]from=/)
  const { searchParams } = new URL(page.url())
  const [from, to] = ['from', 'to'].map((name) => Date.parse(searchParams.get(name) ?? ''))
  expect(Number(to) - Number(from)).toBe(3 * 3_600_000)
})

story('the same numbers stand in a table, in local time or in UTC', async () => {
  const { page } = reader
  await open('/overview?range=24h')
  await attempts().getByRole('button', { name: 'Options of the chart: Attempts' }).click()
  await page.getByRole('menuitem', { name: 'Show as a table' }).click()
  const rows = attempts()
    .getByRole('table', { name: /^Attempts over time/ })
    .getByRole('row')
  expect(await rows.count()).toBe(2)
  expect(await rows.last().textContent()).not.toContain('UTC')
  await page.getByRole('radiogroup', { name: 'Time zone' }).getByText('UTC').click()
  await rows.last().getByText('UTC').waitFor()
  await page.reload()
  await waitUntilLoaded(page)
  expect(await page.getByRole('radio', { name: 'UTC' }).isChecked()).toBe(true)
  await page.getByRole('radiogroup', { name: 'Time range' }).getByText('Custom').click()
  const from = page.getByLabel('From (UTC)', { exact: true })
  const { searchParams } = new URL(page.url())
  expect(await from.inputValue()).toBe(searchParams.get('from')?.slice(0, 16))
  await page.getByRole('radiogroup', { name: 'Time zone' }).getByText('Local').click()
  await page.getByLabel('From', { exact: true }).waitFor()
})

story('every chart has its numbers in a table, with the unit of its title', async () => {
  const { page } = reader
  await open(`/webhooks/${webhookId}?range=24h`)
  // Per hour, minute or second: shortly after the hour began, the rate of its attempts is large.
  const heading = attempts().getByRole('heading', { name: /^Throughput per (hour|minute|second)$/ })
  const title = await heading.innerText()
  await attempts()
    .getByRole('button', { name: `Options of the chart: ${title}` })
    .press('Enter')
  await page.getByRole('menuitem', { name: 'Show as a table' }).press('Enter')
  const table = attempts().getByRole('table', {
    name: `${title.replace('Throughput', 'Attempts')} over time.`,
  })
  await table.waitFor()
  expect(await table.getByRole('row').count()).toBeGreaterThan(20)
})

story.each([360, 1440])('at %i pixels, no label sticks out of its chart', async (width) => {
  const { page } = reader
  await page.setViewportSize({ width, height: 800 })
  await open(`/webhooks/${webhookId}?range=24h`)
  const outside = await page.evaluate<string[]>(LABELS_OUTSIDE)
  expect(outside).toEqual([])
})

const LABELS_OUTSIDE = `
  [...document.querySelectorAll('.ph-plot')].flatMap((plot) => {
    const box = plot.getBoundingClientRect()
    return [...plot.querySelectorAll('.ph-plot-scale span, .ph-plot-times span')]
      .filter((label) => {
        const { left, right } = label.getBoundingClientRect()
        return left < box.left || right > box.right + 1
      })
      .map((label) => label.textContent)
  })
`

story('the menu in the corner shows causes, each of which leads to its attempts', async () => {
  const { page } = reader
  await open('/overview?range=1h')
  await attempts().getByRole('button', { name: 'Options of the chart: Attempts' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Failures by cause' }).press('Enter')
  await page.getByRole('slider', { name: 'Failed attempts over time by cause.' }).waitFor()
  await attempts().getByText('503', { exact: true }).waitFor()
  expect(await attempts().getByText('2xx', { exact: true }).count()).toBe(0)
  await attempts().locator('[data-part="0"]').last().click()
  await page.waitForURL(/\/attempts\?.*cause=503/)
  await page.getByRole('cell', { name: /503/ }).waitFor()
  await expect.poll(() => page.locator('main tbody tr').count()).toBe(1)
})

story('while the server is away, the last numbers stay, dimmed, and time goes on', async () => {
  await using other = await visit(browser, { origins: [server.url], signedInTo: server })
  other.expectPageErrors(/./)
  const { page } = other
  await page.clock.install()
  await page.goto(`${server.url}/console/webhooks/${webhookId}?range=1h`)
  await waitUntilLoaded(page)
  const chart = page.getByRole('slider', { name: /^Attempts over time: 2 succeeded, 1 failed/ })
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
  await attempts().getByRole('slider').first().waitFor()
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
