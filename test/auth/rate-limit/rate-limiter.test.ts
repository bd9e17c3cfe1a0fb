import { describe, expect, test } from 'vitest'
import {
  createAddressLimiter,
  createRateLimiter,
  MAX_AUTH_FAILURES,
  type RateLimiter,
  rateLimitHeaders,
} from '../../../src/auth/access/rate-limit.ts'

/** Consumes a number of requests one by one. Returns how many were granted. */
function consume(limiter: RateLimiter, perSecond: number, count: number): number {
  const used = Array.from({ length: count }, () => limiter('key', 'requests', 1, perSecond))
  return used.filter(({ granted }) => granted).length
}

test('an idle key may use ten seconds of its rate at once, and its rate per second afterwards', () => {
  let nowMs = 0
  const limiter = createRateLimiter(() => nowMs)
  expect(consume(limiter, 5, 80)).toBe(50)
  nowMs += 1_000
  expect(consume(limiter, 5, 80)).toBe(5)
  nowMs += 3_600_000
  expect(consume(limiter, 5, 80)).toBe(50)
})

test('a rejected call names the time after which the next one is granted', () => {
  let nowMs = 0
  const limiter = createRateLimiter(() => nowMs)
  limiter('key', 'events', 1_000, 10)
  const rejected = limiter('key', 'events', 1, 10)
  expect(rejected).toMatchObject({ granted: false, remaining: 0, quota: 100, resetSeconds: 100 })
  nowMs += rejected.retryAfterSeconds * 1_000 - 1_000
  expect(limiter('key', 'events', 1, 10).granted).toBe(false)
  nowMs += 1_000
  expect(limiter('key', 'events', 1, 10).granted).toBe(true)
})

test('the headers follow the IETF draft', () => {
  const limiter = createRateLimiter(() => 0)
  const requests = limiter('key', 'requests', 1, 500)
  const events = limiter('key', 'events', 3, 50_000)
  expect(rateLimitHeaders([requests, events])).toEqual({
    'ratelimit-policy': '"requests";q=5000;w=10, "events";q=500000;w=10',
    ratelimit: '"requests";r=4999;t=1, "events";r=499997;t=1',
  })
  expect(rateLimitHeaders([])).toEqual({})
})

describe('authentication failures', () => {
  test.each([
    ['one address', '203.0.113.7', '203.0.113.7'],
    ['one IPv6 network', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9'],
    ['one abbreviated IPv6 network', '2001:db8::1', '2001:db8:0:0:7:8:9:a'],
  ])('from %s have to wait after the first 20', (_, address, same) => {
    let nowMs = 0
    const failures = createAddressLimiter(MAX_AUTH_FAILURES, () => nowMs)
    const waits = Array.from({ length: MAX_AUTH_FAILURES }, () => failures(address))
    expect(waits).toEqual(Array(MAX_AUTH_FAILURES).fill(0))
    const wait = failures(same)
    expect(wait).toBeGreaterThan(0)
    nowMs += (wait + 3) * 1_000
    expect(failures(address)).toBe(0)
  })

  test.each([
    ['203.0.113.7', '203.0.113.8'],
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['::ffff:203.0.113.7', '::ffff:203.0.113.8'],
  ])('from %s do not count for %s', (address, other) => {
    const failures = createAddressLimiter(MAX_AUTH_FAILURES, () => 0)
    for (let i = 0; i < 100; i++) failures(address)
    expect(failures(address)).toBeGreaterThan(0)
    expect(failures(other)).toBe(0)
  })

  test('are kept for a limited number of addresses', () => {
    const failures = createAddressLimiter(MAX_AUTH_FAILURES, () => 0)
    for (let i = 0; i < 100; i++) failures('203.0.113.7')
    for (let i = 0; i < 10_000; i++) failures(`198.51.${i >> 8}.${i & 255}`)
    expect(failures('203.0.113.7')).toBe(0)
  })
})
