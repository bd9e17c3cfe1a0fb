import { beforeAll, expect } from 'vitest'
import { untilCount } from '../support/call.ts'
import { open, openDesk, page, server, story } from '../support/desk.ts'
import { expectUsable } from '../support/layout.ts'
import { addWebhook, publish } from './support.ts'

/* Each event has three deliveries, one of which fails. */
const EVENTS = 4

let events: string[]

openDesk()

beforeAll(async () => {
  for (const name of ['works', 'archives', 'fails']) await addWebhook(server, name)
  server.receiver.answer = (response, { path }) => {
    response.writeHead(path.startsWith('/fails') ? 502 : 204).end()
  }
  events = await publish(server, EVENTS)
  await untilCount(server, { states: ['SUCCEEDED'] }, 2 * EVENTS)
  await untilCount(server, { states: ['RETRYING'] }, EVENTS)
})

story('an event with three webhooks is one row that says what came of them', async () => {
  await open('/deliveries')
  await expect.poll(() => rowsOf('Deliveries').count()).toBe(3 * EVENTS)
  await page.getByText('By event', { exact: true }).click()
  await page.waitForURL('**/deliveries?by=event')
  await expect.poll(() => folded().count()).toBe(EVENTS)
  for (const text of await folded().allInnerTexts()) {
    expect(text).toContain('2 of 3 delivered')
    expect(text).toContain('1 retrying')
  }
  await folded()
    .first()
    .getByRole('button', { name: /^Deliveries of / })
    .click()
  const below = rowsOf('Deliveries of the event')
  await expect.poll(() => below.count()).toBe(3)
  await expectUsable(page)

  // A filter selects deliveries, also below the event.
  await page.getByRole('link', { name: 'Retrying' }).click()
  await page.waitForURL('**/deliveries?state=RETRYING&by=event')
  await expect.poll(() => folded().count()).toBe(EVENTS)
  await open('/deliveries?by=event&state=EXHAUSTED')
  await page.getByText('Nothing matches these filters').waitFor()
})

story('only the failed deliveries of one event are redelivered', async () => {
  await open('/deliveries?by=event')
  server.receiver.answer = (response) => response.end()
  server.receiver.clear()
  const row = folded().filter({ has: page.locator(`a[href$="${events[3]}"]`) })
  await row.getByRole('button', { name: /^Redeliver 1: / }).click()
  const dialog = page.getByRole('dialog', { name: 'Redeliver 1 delivery?' })
  await dialog.getByRole('button', { name: 'Redeliver', exact: true }).click()
  await page.getByText('1 queued', { exact: true }).last().waitFor()
  await row.getByText('3 of 3 delivered').waitFor()
  expect(await row.getByRole('button', { name: /^Redeliver/ }).count()).toBe(0)
  expect(server.receiver.received.map(({ path }) => path)).toEqual(['/fails'])
  await untilCount(server, { states: ['RETRYING'] }, EVENTS - 1)
  expect(await folded().filter({ hasText: '2 of 3 delivered' }).count()).toBe(EVENTS - 1)
})

const rowsOf = (table: string) =>
  page.getByRole('table', { name: table, exact: true }).locator('> tbody > tr')

/** The rows of events, without those below them. */
const folded = () =>
  page.getByRole('table', { name: 'Deliveries by event' }).locator('> tbody > tr:not(.ph-detail)')
