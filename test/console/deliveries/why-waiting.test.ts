import { expect, test } from 'vitest'
import { whyWaiting } from '../../../src/console/deliveries/page/why-waiting.ts'
import type { DeliveryQuery, ParkedReason } from '../../../src/console/generated/graphql.ts'

type Delivery = NonNullable<DeliveryQuery['delivery']>

const NOW = '2026-11-25T12:00:00.000Z'
const WEBHOOK: NonNullable<Delivery['webhook']> = {
  id: 'wh_1',
  url: 'https://example.com/',
  description: null,
  enabled: true,
  ordered: false,
  rateLimitPerSecond: 50,
  maxInFlight: null,
  health: {
    state: 'HEALTHY',
    onHoldReason: null,
    nextProbeAt: '2026-11-25T12:09:00.000Z',
    lastError: 'HTTP 502 from https://example.com',
    concurrencyLimit: 35,
  },
}

function parked(parkedReason: ParkedReason | null, webhook: Partial<typeof WEBHOOK> = {}) {
  return whyWaiting(
    {
      state: 'WAITING',
      attemptCount: 0,
      nextAttemptAt: null,
      parkedAt: NOW,
      parkedReason,
      webhook: { ...WEBHOOK, ...webhook },
    } as Delivery,
    Date.parse(NOW),
  )
}

test.each<[ParkedReason, string, string]>([
  ['DISABLED', 'The webhook is disabled', 'sent once the webhook is enabled'],
  ['ON_HOLD', 'The webhook is on hold', 'HTTP 502 from https://example.com. The endpoint'],
  ['RATE_LIMIT', 'The webhook is at its rate limit', '50 attempts per second'],
  ['CONCURRENCY_LIMIT', 'The webhook is at its concurrency limit', 'Now: 35.'],
  ['ORDERED', 'An earlier delivery comes first', 'in the order of their events'],
])('a delivery that is parked for %s shows "%s"', (reason, title, part) => {
  expect(parked(reason)).toMatchObject({ title, sentence: expect.stringContaining(part) })
})

test('a delivery of a webhook that was asked to wait says so, even if it was parked for another reason before', () => {
  const health = { ...WEBHOOK.health, state: 'ON_HOLD', onHoldReason: 'RETRY_AFTER' } as const
  for (const reason of ['ON_HOLD', 'CONCURRENCY_LIMIT', 'RATE_LIMIT'] as const) {
    expect(
      parked(reason, {
        health: { ...health, lastError: 'HTTP 429 from x', concurrencyLimit: 1, nextProbeAt: null },
      }),
    ).toMatchObject({
      title: 'The webhook is on hold',
      sentence: expect.stringContaining('HTTP 429 from x. The endpoint asked to wait'),
    })
  }
})

test('a delivery of a webhook on hold shows the time of the next probe', () => {
  expect(parked('ON_HOLD')).toMatchObject({
    nextLabel: 'Next probe',
    nextAt: WEBHOOK.health?.nextProbeAt,
  })
})

test.each([
  [1, 'The limit is 1 attempt per second.'],
  [10_000, 'The limit is 10,000 attempts per second.'],
])('a rate limit of %i is shown', (rateLimitPerSecond, sentence) => {
  expect(parked('RATE_LIMIT', { rateLimitPerSecond })).toMatchObject({ sentence })
})

test.each([
  [1, 'The limit is 1 parallel request per worker.'],
  [3, 'The limit is 3 parallel requests per worker.'],
])('a fixed concurrency limit of %i is shown', (maxInFlight, sentence) => {
  expect(parked('CONCURRENCY_LIMIT', { maxInFlight })).toMatchObject({ sentence })
})

test('an unfinished delivery is queued or scheduled', () => {
  const at = (delivery: Partial<Delivery>) =>
    whyWaiting({ state: 'RETRYING', attemptCount: 1, ...delivery } as Delivery, Date.parse(NOW))
  expect(at({ nextAttemptAt: '2026-11-25T11:59:59.000Z' })).toMatchObject({ title: 'Queued' })
  expect(at({ nextAttemptAt: '2026-11-25T12:05:00.000Z' })).toMatchObject({
    title: 'The next attempt is scheduled',
  })
  expect(at({ state: 'SUCCEEDED' })).toBeNull()
})
