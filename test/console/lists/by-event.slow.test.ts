import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { call, createKey, untilCount } from '../support/call.ts'
import { browser, openDesk, page, server, story } from '../support/desk.ts'
import { waitUntilLoaded } from '../support/sign-in.ts'
import { type Visit, visit } from '../support/visit.ts'
import { addWebhook, expectFits, publish } from './support.ts'

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
  await open(page, '/deliveries')
  await expect.poll(() => rowsOf(page, 'Deliveries').count()).toBe(3 * EVENTS)
  await page.getByText('By event', { exact: true }).click()
  await page.waitForURL('**/deliveries?by=event')
  await expect.poll(() => folded(page).count()).toBe(EVENTS)
  for (const text of await folded(page).allInnerTexts()) {
    expect(text).toContain('2 of 3 delivered')
    expect(text).toContain('1 retrying')
  }
  await folded(page)
    .first()
    .getByRole('button', { name: /^Deliveries of / })
    .click()
  const below = rowsOf(page, 'Deliveries of the event')
  await expect.poll(() => below.count()).toBe(3)
  await expectFits(page)

  // A filter selects deliveries, also below the event.
  await page.getByRole('link', { name: 'Retrying' }).click()
  await page.waitForURL('**/deliveries?state=RETRYING&by=event')
  await expect.poll(() => folded(page).count()).toBe(EVENTS)
  await page.goto(`${server.url}/console/deliveries?by=event&state=EXHAUSTED`)
  await page.getByText('No delivery matches these filters').waitFor()
})

story('only the failed deliveries of one event are redelivered', async () => {
  await open(page, '/deliveries?by=event')
  server.receiver.answer = (response) => response.end()
  server.receiver.clear()
  const row = folded(page).filter({ has: page.locator(`a[href$="${events[3]}"]`) })
  await row.getByRole('button', { name: /^Redeliver 1: / }).click()
  await redeliverOne(page)
  await row.getByText('3 of 3 delivered').waitFor()
  expect(await row.getByRole('button', { name: /^Redeliver/ }).count()).toBe(0)
  expect(server.receiver.received.map(({ path }) => path)).toEqual(['/fails'])
  await untilCount(server, { states: ['RETRYING'] }, EVENTS - 1)
  expect(await folded(page).filter({ hasText: '2 of 3 delivered' }).count()).toBe(EVENTS - 1)
})

story('the page of an event redelivers only what failed, too', async () => {
  server.receiver.answer = (response) => response.end()
  await open(page, `/events/${events[0]}`)
  const deliveries = page.getByRole('region', { name: 'Deliveries' })
  await deliveries.getByText('2 of 3 delivered, 1 retrying').waitFor()
  await page.getByRole('button', { name: 'Redeliver the 1 failed' }).click()
  await redeliverOne(page)
  await deliveries.getByText('3 of 3 delivered').waitFor()
  expect(await page.getByRole('button', { name: /^Redeliver the/ }).count()).toBe(0)
  await expectFits(page)
})

story('what is redelivered elsewhere in the meantime is not sent again', async () => {
  server.receiver.answer = (response) => response.end()
  await open(page, '/deliveries?by=event')
  const row = folded(page).filter({ has: page.locator(`a[href$="${events[1]}"]`) })
  const { event } = await server.graphql<{ event: { deliveries: { nodes: { id: string }[] } } }>(
    'query ($id: ID!) { event(id: $id) { deliveries(filter: { states: RETRYING }) { nodes { id } } } }',
    { id: events[1] },
  )
  const asked = page.waitForRequest((request) =>
    Boolean(request.postData()?.includes('FailedOfEvent')),
  )
  // The row learns of it within seconds; the button is quicker.
  await page.route('**/graphql', async (route) => {
    if (!route.request().postData()?.includes('FailedOfEvent')) return await route.continue()
    await call(server, 'redeliver', {
      input: ['RedeliverInput!', { ids: [event.deliveries.nodes[0]?.id] }],
    })
    await untilCount(server, { states: ['RETRYING'] }, 1)
    await route.continue()
  })
  await row.getByRole('button', { name: /^Redeliver 1: / }).click()
  await asked
  await page.getByText('No delivery of this event is failed any more.').waitFor()
  await page.unroute('**/graphql')
  await row.getByText('3 of 3 delivered').waitFor()
})

story('by keyboard only: to the events, into one of them, and back', async () => {
  await open(page, '/deliveries')
  await page.getByRole('radio', { name: 'By delivery' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.waitForURL('**/deliveries?by=event')
  const unfold = folded(page)
    .first()
    .getByRole('button', { name: /^Deliveries of / })
  await unfold.focus()
  await page.keyboard.press('Enter')
  expect(await unfold.getAttribute('aria-expanded')).toBe('true')
  await expect.poll(() => rowsOf(page, 'Deliveries of the event').count()).toBe(3)
  await page.keyboard.press('Enter')
  await expect.poll(() => rowsOf(page, 'Deliveries of the event').count()).toBe(0)
  await page.getByRole('radio', { name: 'By event' }).focus()
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => new URL(page.url()).search).toBe('')
})

story('a key without the scopes sees the numbers but no button, or no events at all', async () => {
  await using other = await visitWith(['deliveries:read', 'events:read'])
  await open(other.page, '/deliveries?by=event')
  await folded(other.page).filter({ hasText: '1 retrying' }).first().waitFor()
  expect(await other.page.getByRole('button', { name: /^Redeliver/ }).count()).toBe(0)

  await using third = await visitWith(['deliveries:read'])
  await open(third.page, '/deliveries?by=event')
  await expect.poll(() => rowsOf(third.page, 'Deliveries').count()).toBe(3 * EVENTS)
  expect(await third.page.getByRole('radio', { name: 'By event' }).count()).toBe(0)
})

function rowsOf(of: Page, table: string): Locator {
  return of.getByRole('table', { name: table, exact: true }).locator('> tbody > tr')
}

/** The rows of events, without those below them. */
const folded = (of: Page) =>
  of.getByRole('table', { name: 'Deliveries by event' }).locator('> tbody > tr:not(.ph-detail)')

async function redeliverOne(of: Page): Promise<void> {
  const dialog = of.getByRole('dialog', { name: 'Redeliver 1 delivery?' })
  await dialog.getByRole('button', { name: 'Redeliver', exact: true }).click()
  await of.getByText('1 queued', { exact: true }).last().waitFor()
}

async function visitWith(scopes: readonly string[]): Promise<Visit> {
  const token = await createKey(server, scopes)
  const signedInTo = { url: server.url, token }
  return await visit(browser, { origins: [server.url], signedInTo })
}

async function open(of: Page, path: string): Promise<void> {
  await of.goto(`${server.url}/console${path}`)
  await waitUntilLoaded(of)
}
