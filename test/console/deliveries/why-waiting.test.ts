import { expect, test } from 'vitest'
import { whyWaiting } from '../../../packages/console/deliveries/page/why-waiting.ts'
import type { DeliveryQuery, ParkedReason } from '../../../packages/console/generated/graphql.ts'

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

test.each<[ParkedReason, Partial<typeof WEBHOOK>, string, string]>([
  ['DISABLED', {}, 'The webhook is disabled', 'sent once the webhook is enabled'],
  ['ON_HOLD', {}, 'The webhook is on hold', 'HTTP 502 from https://example.com. The endpoint'],
  ['RATE_LIMIT', {}, 'The webhook is at its rate limit', '50 attempts per second'],
  ['RATE_LIMIT', { rateLimitPerSecond: 1 }, 'The webhook is at', 'limit is 1 attempt per second'],
  ['CONCURRENCY_LIMIT', {}, 'The webhook is at its concurrency limit', 'Now: 35.'],
  ['CONCURRENCY_LIMIT', { maxInFlight: 3 }, 'The webhook is at', '3 parallel requests per worker'],
  ['ORDERED', {}, 'An earlier delivery comes first', 'in the order of their events'],
])('a delivery parked for %s of a webhook with %j shows "%s"', (reason, webhook, title, part) => {
  expect(parked(reason, webhook)).toMatchObject({
    title: expect.stringContaining(title),
    sentence: expect.stringContaining(part),
  })
  const { nextLabel, nextAt } = parked('ON_HOLD') ?? {}
  expect([nextLabel, nextAt]).toEqual(['Next probe', WEBHOOK.health?.nextProbeAt])
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

test('an unfinished delivery is queued or scheduled', () => {
  const at = (delivery: Partial<Delivery>) =>
    whyWaiting({ state: 'RETRYING', attemptCount: 1, ...delivery } as Delivery, Date.parse(NOW))
  expect(at({ nextAttemptAt: '2026-11-25T11:59:59.000Z' })).toMatchObject({ title: 'Queued' })
  expect(at({ nextAttemptAt: '2026-11-25T12:05:00.000Z' })).toMatchObject({
    title: 'The next attempt is scheduled',
  })
  expect(at({ state: 'SUCCEEDED' })).toBeNull()
})
