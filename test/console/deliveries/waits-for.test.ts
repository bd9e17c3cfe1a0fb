import { expect, test } from 'vitest'
import { waitsFor } from '../../../src/console/deliveries/list/waits-for.ts'

test.each([
  ['DISABLED', null, 'Disabled'],
  ['ORDERED', null, 'In order, after an earlier one'],
  ['CONCURRENCY_LIMIT', null, 'Concurrency limit'],
  ['RATE_LIMIT', { rateLimitPerSecond: 5 }, 'Rate limit 5/s'],
  ['RATE_LIMIT', { rateLimitPerSecond: null }, 'Rate limit'],
  ['RATE_LIMIT', { rateLimitPerSecond: 5, health: { state: 'ON_HOLD' } }, 'On hold'],
  ['ON_HOLD', null, 'On hold'],
  [null, null, 'In the backlog'],
] as const)(
  'a delivery parked as %s, with the webhook %o, waits for: %s',
  (parkedReason, webhook, words) => {
    expect(waitsFor({ parkedReason, webhook })).toBe(words)
  },
)
