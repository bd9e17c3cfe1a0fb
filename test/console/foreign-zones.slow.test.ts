import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { type HostilePosthorn, startHostilePosthorn } from '../support/hostile-posthorn.ts'
import { call, untilDelivery } from './support/call.ts'
import { browser, openBrowserForStories, story } from './support/desk.ts'
import { waitUntilLoaded } from './support/sign-in.ts'
import { type Visit, visit } from './support/visit.ts'

/*
 * A reader on the Chatham Islands looks at a server in India whose Postgres is in Newfoundland. No zone is UTC, and none
 * is full hours away from another.
 */
let posthorn: HostilePosthorn
let reader: Visit
let page: Page
let event: { readonly id: string; readonly publishedAt: string }
let deliveryId: string
/** When the test began to create the webhook and the event. */
let beginMs: number

/** In November, the Chatham Islands are 13:45 hours ahead of UTC. */
const OCCURRED_AT = '2026-11-20T10:15:30.000Z'
const OCCURRED = '21. Nov. 2026, 00:00:30'

openBrowserForStories()

beforeAll(async () => {
  posthorn = await startHostilePosthorn('18')
  beginMs = Date.now()
  const webhook = { url: posthorn.receiver.url, enabled: true, eventSubscriptions: [JOINED] }
  await call(posthorn, 'createWebhook', { input: ['CreateWebhookInput!', webhook] })
  const { publishedEvent } = await call<{
    publishedEvent: { event: typeof event & { deliveries: { nodes: [{ id: string }] } } }
  }>(
    posthorn,
    'publishEvent',
    { input: ['PublishEventInput!', { type: JOINED, data: {}, timestamp: OCCURRED_AT }] },
    'publishedEvent { event { id publishedAt deliveries { nodes { id } } } }',
  )
  event = publishedEvent.event
  deliveryId = publishedEvent.event.deliveries.nodes[0].id
  await untilDelivery(posthorn, deliveryId, ({ state }) => state === 'SUCCEEDED', 'it is delivered')
  reader = await visit(browser, {
    ...{ origins: [posthorn.url], signedInTo: posthorn },
    ...{ timezoneId: 'Pacific/Chatham', locale: 'de-DE' },
  })
  page = reader.page
})
afterAll(async () => {
  await reader?.[Symbol.asyncDispose]()
  await posthorn?.[Symbol.asyncDispose]()
})

story('the page of an event shows its times in the zone of the browser', async () => {
  await open(`/events/${event.id}`)
  expect(await times()).toContainEqual({ text: OCCURRED, at: OCCURRED_AT })
  const published = (await times()).find(({ at }) => at === event.publishedAt)
  expect(published?.text).toBe(inChatham(event.publishedAt))
})

story('the times of a delivery and its attempt are those of now', async () => {
  await open(`/deliveries/${deliveryId}`)
  const shown = await times()
  expect(shown.length).toBeGreaterThan(2)
  for (const { text, at } of shown) {
    expect(Date.parse(at), `${text}, ${at}`).toBeGreaterThanOrEqual(beginMs)
    expect(Date.parse(at), `${text}, ${at}`).toBeLessThanOrEqual(Date.now())
  }
  const { text, at } = shown.find((time) => /^\d/.test(time.text)) as Shown
  expect(text).toBe(inChatham(at))
})

story('a time that the reader types is in the zone of the browser', async () => {
  await open('/events?within=custom')
  await page.getByLabel('From', { exact: true }).fill('2026-11-21T00:00')
  await expect
    .poll(() => new URL(page.url()).searchParams.get('since'))
    .toBe('2026-11-20T10:15:00.000Z')
  await page.locator(`a[href$="/events/${event.id}"]`).first().waitFor()
})

async function open(path: string): Promise<void> {
  await page.goto(`${posthorn.url}/console${path}`)
  await waitUntilLoaded(page)
}

interface Shown {
  readonly text: string
  readonly at: string
}

/** The times on the page, with the moments that they stand for. */
async function times(): Promise<Shown[]> {
  return await page.locator('#main time').evaluateAll((elements) =>
    elements.map((element) => ({
      text: element.textContent,
      at: element.getAttribute('datetime') ?? '',
    })),
  )
}

/** As the console formats times. */
function inChatham(at: string): string {
  const format = new Intl.DateTimeFormat('de-DE', {
    ...{ year: 'numeric', month: 'short', day: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZone: 'Pacific/Chatham' },
  })
  return format.format(new Date(at))
}
