import { expect, test } from 'vitest'
import { waitsFor } from '../../../packages/console/deliveries/waits-for.ts'
import type {
  DeliveryBasicsFragment,
  ParkedReason,
} from '../../../packages/console/generated/graphql.ts'

type Webhook = NonNullable<DeliveryBasicsFragment['webhook']>

const HEALTHY: NonNullable<Webhook['health']> = {
  state: 'HEALTHY',
  onHoldReason: null,
  nextProbeAt: null,
  lastError: null,
}
const WEBHOOK: Webhook = {
  id: 'wh_1',
  url: 'https://example.com/',
  description: null,
  rateLimitPerSecond: 50,
  health: HEALTHY,
}
const ON_HOLD = {
  ...HEALTHY,
  state: 'ON_HOLD',
  nextProbeAt: '2026-11-25T12:09:00.000Z',
  lastError: 'HTTP 502 from https://example.com',
} as const

const waiting = (parkedReason: ParkedReason | null, webhook: Partial<Webhook> = {}) =>
  waitsFor({ parkedReason, webhook: { ...WEBHOOK, ...webhook } })

test.each<[ParkedReason | null, Partial<Webhook>, string, string | null]>([
  ['DISABLED', {}, 'Disabled', 'sent once the webhook is enabled'],
  ['RATE_LIMIT', {}, 'Rate limit 50/s', null],
  ['RATE_LIMIT', { rateLimitPerSecond: null }, 'Rate limit', null],
  ['CONCURRENCY_LIMIT', {}, 'Concurrency limit', 'as many parallel requests'],
  ['ORDERED', {}, 'In order, after an earlier one', 'in the order of their events'],
  [null, {}, 'In the backlog', null],
])('a delivery parked for %s of a webhook with %j shows "%s"', (reason, webhook, what, part) => {
  const why = part === null ? null : expect.stringContaining(part)
  expect(waiting(reason, webhook)).toEqual({ what, why, probeAt: null })
})

test('a delivery of a webhook on hold says why and when it is tested, even if it was parked for another reason', () => {
  for (const reason of ['ON_HOLD', 'CONCURRENCY_LIMIT', 'RATE_LIMIT'] as const) {
    expect(waiting(reason, { health: ON_HOLD })).toEqual({
      what: 'On hold',
      why: expect.stringContaining('HTTP 502 from https://example.com. The endpoint keeps failing'),
      probeAt: ON_HOLD.nextProbeAt,
    })
  }
  const health = { ...ON_HOLD, onHoldReason: 'RETRY_AFTER', lastError: 'HTTP 429 from x' } as const
  expect(waiting('ON_HOLD', { health }).why).toContain(
    'HTTP 429 from x. The endpoint asked to wait',
  )
})

test('viewers who see no webhooks read the reason, too', () => {
  expect(waitsFor({ parkedReason: 'RATE_LIMIT' }).what).toBe('Rate limit')
  expect(waitsFor({ parkedReason: 'ON_HOLD' }).what).toBe('On hold')
})
