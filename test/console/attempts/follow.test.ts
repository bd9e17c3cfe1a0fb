import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { JOINED } from '../../support/factories.ts'
import { call } from '../support/call.ts'
import { type ConsoleServer, startConsoleServer } from '../support/console-server.ts'
import { untilLive, waitUntilLoaded } from '../support/sign-in.ts'
import { story, storyBrowser } from '../support/story.ts'
import { type Visit, visit } from '../support/visit.ts'

/** The list of attempts, followed: many a second, which the page samples. */
let browser: Browser
let server: ConsoleServer
let reader: Visit
let page: Page

const BURSTS = 3
const PER_BURST = 500
const ROWS_PER_PAINT = 20

beforeAll(async () => {
  browser = await storyBrowser()
  // No retry adds a row.
  server = await startConsoleServer({ environment: { POSTHORN_RETRY_SCHEDULE: '1h' } })
  await call(server, 'createWebhook', {
    input: [
      'CreateWebhookInput!',
      { url: server.receiver.url, enabled: true, eventSubscriptions: [JOINED] },
    ],
  })
  reader = await visit(browser, { origins: [server.url], signedInTo: server })
  page = reader.page
  await page.goto(`${server.url}/console/attempts?follow=on`)
  await untilLive(page)
})
afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

async function publish(count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => ({ type: JOINED, data: { n } }))
  await call(server, 'publishEvents', { input: ['PublishEventsInput!', { events }] })
}

const rows = () => page.locator('.ph-tail tbody tr')

story(
  'under load, each paint adds a sample of the attempts, and Pause stops the rows',
  async () => {
    await publish(1)
    await rows().first().waitFor()
    await page.evaluate(COUNT_ADDED_ROWS)
    for (let burst = 0; burst < BURSTS; burst++) await publish(PER_BURST)
    await server.receiver.arrival(1 + BURSTS * PER_BURST)
    await expect.poll(() => rows().count()).toBeGreaterThan(ROWS_PER_PAINT)

    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused:', { exact: false }).waitFor()
    expect(await rows().count()).toBeLessThanOrEqual(200)
    const added = await page.evaluate<number[]>('window.addedRows')
    expect(Math.max(...added)).toBeLessThanOrEqual(ROWS_PER_PAINT)
    const shown = added.reduce((sum, count) => sum + count, 0)
    expect(shown).toBeLessThan(BURSTS * PER_BURST)
  },
)

story('the rows are in the order in which the attempts ended', async () => {
  const times = await page
    .locator('.ph-tail time')
    .evaluateAll((all) => all.map((time) => time.getAttribute('datetime') ?? ''))
  expect(times).toEqual(times.toSorted().reverse())
})

story('on a phone, the webhook of an attempt stays visible', async () => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.locator('.ph-tail-webhook').first().waitFor()
  await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360)
})

/** Notes how many rows each change of the page adds. A row that moves counts too. */
const COUNT_ADDED_ROWS = `
  window.addedRows = []
  new MutationObserver((changes) => {
    const added = changes.flatMap((change) => [...change.addedNodes])
    window.addedRows.push(added.filter((node) => node.nodeName === 'TR').length)
  }).observe(document.querySelector('.ph-tail tbody'), { childList: true })
`

story(
  'Follow keeps the filters and the rows of the list, and adds the attempts that match',
  async () => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(`${server.url}/console/attempts?status=FAILED&within=1h`)
    await waitUntilLoaded(page)
    await page.getByText('No attempt matches these filters').waitFor()
    await page.getByRole('switch', { name: 'Follow' }).click()
    await untilLive(page)
    expect(new URL(page.url()).search).toBe('?status=FAILED&follow=on')
    await publish(1)
    await server.receiver.arrival(2 + BURSTS * PER_BURST)
    server.receiver.answer = (response) => response.writeHead(503).end()
    await publish(1)
    await rows().first().waitFor()
    expect(await rows().allInnerTexts()).toEqual([expect.stringContaining('503')])

    await page.getByRole('switch', { name: 'Follow' }).click()
    await page.getByRole('table', { name: 'Attempts', exact: true }).waitFor()
    await page.getByText('503').first().waitFor()
    await page.getByRole('switch', { name: 'Follow' }).click()
    await rows().first().waitFor()
  },
)

story('the address of the page that Follow replaced leads to it', async () => {
  await page.goto(`${server.url}/console/live?failed=only`)
  await page.waitForURL('**/attempts?follow=on&status=FAILED')
  await untilLive(page)
})
