import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { SYSTEM } from '../../../src/auth/access/actor.ts'
import { createKeyring } from '../../../src/auth/encryption/keyring.ts'
import { createFindBody } from '../../../src/bodies/body.ts'
import {
  createLoadBody,
  createLoadDelivery,
  type LoadedDelivery,
} from '../../../src/deliveries/attempts/load-delivery.ts'
import { createQueuedDeliveries } from '../../../src/deliveries/attempts/queued-deliveries.ts'
import { createCatalogue } from '../../../src/event-types/event-type.ts'
import { fanOut } from '../../../src/events/fan-out.ts'
import { createPublishEvents } from '../../../src/events/publish-events.ts'
import { createAddressGuard } from '../../../src/outbound/public-address.ts'
import { createWebhook } from '../../../src/webhooks/save-webhook.ts'
import { sharedDatabase } from '../../support/database.ts'
import { createTenant, ENCRYPTION_KEY, JOINED } from '../../support/factories.ts'

const database = await sharedDatabase()
const { pool, prisma } = database
const queued = createQueuedDeliveries()
const publishEvents = createPublishEvents(pool, createCatalogue(pool), { onQueued: queued.add })
const read = createLoadDelivery(pool)
const load = createLoadDelivery(pool, queued.take)

let organizationId: string
beforeEach(async () => {
  organizationId = (await createTenant(prisma)).organizationId
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
})

describe('an attempt of this process gets from memory what it would load', () => {
  test.each([
    ['of a webhook with the default settings', {}],
    ['of a webhook that keeps nothing', { keepPayloads: false, keepResponseBodies: false }],
    ['of a template', { template: '{"text": "{{ data.name }}, before {{ previous.name }}"}' }],
  ])('%s, and sends the same bytes', async (_what, settings) => {
    await subscribe(settings)
    const id = await publish({ name: 'Zoë 😀' }, { name: 'Zoe' })
    const remembered = queued.take(id) as LoadedDelivery
    const loaded = (await read(id)) as LoadedDelivery
    expect(remembered).toEqual({ ...loaded, readAt: remembered.readAt })
    const loadBody = createLoadBody(pool, createFindBody(pool))
    expect(await loadBody(remembered)).toEqual(await loadBody(loaded))
  })

  test('once, and with the time at which the publishing began', async () => {
    await subscribe()
    const publishedAt = performance.now()
    const id = await publish()
    vi.advanceTimersByTime(20)
    expect(await load(id)).toMatchObject({ id, readAt: publishedAt })
    expect(await load(id)).toMatchObject({ id, readAt: publishedAt + 20 })
  })
})

/** SQL: puts the webhook of an organization on hold. */
const HOLD = `
  insert into posthorn.webhook_schedules (webhook_id, backlog_since, on_hold_since, on_hold_reason)
  select id, now(), now(), 'failing' from posthorn.webhooks where organization_id = $1`

describe('more than 20 ms after the publishing began, an attempt sees', () => {
  const change = (what: string) =>
    `update posthorn.webhooks set ${what}, revision = revision + 1 where organization_id = $1`
  test.each([
    ['that the webhook is disabled', change('enabled = false'), { webhook: 'disabled' }],
    [
      'that the webhook is deleted',
      change('enabled = false, deleted_at = now()'),
      { webhook: 'deleted' },
    ],
    ['another revision of the webhook', change(`url = url || 'new'`), {}],
    ['that the webhook is on hold', HOLD, { holdReason: 'failing' }],
    [
      'that the event is erased',
      `update posthorn.events set erased_at = now() where organization_id = $1`,
      { data: null, dataBytes: null },
    ],
  ])('%s', async (_what, text, seen) => {
    await subscribe()
    const [id, other] = [await publish(), await publish()]
    await pool.query(text, [organizationId])
    const before = await load(id)
    expect(before).toMatchObject({ webhook: 'enabled', holdReason: null, data: '{}' })
    vi.advanceTimersByTime(20.1)
    const after = await load(other)
    expect(after).toMatchObject(seen)
    if (text.includes('revision')) expect(after?.revision).not.toBe(before?.revision)
  })
})

describe('an attempt loads the delivery', () => {
  test.each([
    ['of an ordered webhook', { ordered: true }, 1, {}],
    ['of a webhook with a rate limit', { rateLimitPerSecond: 1 }, 1, {}],
    ['of an event with a large payload', {}, 1, { text: 'x'.repeat(8 * 1024) }],
    ['of an event for many webhooks', {}, 21, {}],
  ])('%s', async (_what, settings, webhooks, data) => {
    for (let n = 0; n < webhooks; n++) await subscribe(settings)
    const id = await publish(data)
    expect(queued.take(id)).toBeNull()
    expect(await load(id)).toMatchObject({ id, state: 'pending' })
  })

  test('of a webhook on hold', async () => {
    await subscribe()
    await pool.query(HOLD, [organizationId])
    const id = await publish()
    expect(queued.take(id)).toBeNull()
    expect(await load(id)).toMatchObject({ holdReason: 'failing' })
  })

  test('of an event that fans out', async () => {
    await subscribe()
    await pool.query(
      `insert into posthorn.webhooks (organization_id, url, event_subscriptions, enabled)
       select organization_id, url, event_subscriptions, true
       from posthorn.webhooks, generate_series(1, 250) where organization_id = $1`,
      [organizationId],
    )
    await publishEvents(organizationId, [{ type: JOINED, data: {} }])
    await fanOut(pool, organizationId, new AbortController().signal)
    const ids = await deliveries()
    expect(ids).toHaveLength(251)
    expect(ids.map((id) => queued.take(id))).toEqual(ids.map(() => null))
    expect(await load(ids[0] as string)).toMatchObject({ state: 'pending' })
  })
})

async function subscribe(settings: object = {}): Promise<void> {
  const deps = {
    prisma,
    keyring: createKeyring([ENCRYPTION_KEY]),
    guard: createAddressGuard([]),
    actor: SYSTEM,
  }
  await createWebhook(deps, organizationId, {
    url: 'https://example.com/',
    eventSubscriptions: [JOINED],
    enabled: true,
    ...settings,
  })
}

/** Publishes an event. Returns the uuid of its last delivery. */
async function publish(data: object = {}, previous: object | null = null): Promise<string> {
  await publishEvents(organizationId, [{ type: JOINED, data, previous }])
  return (await deliveries()).at(-1) as string
}

async function deliveries(): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    'select id from posthorn.deliveries where organization_id = $1 order by id',
    [organizationId],
  )
  return rows.map(({ id }) => id)
}
