import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { rateLimitHeaders } from '../../../src/auth/access/quota.ts'
import {
  createAuthFailureLimiter,
  MAX_AUTH_FAILURES,
} from '../../../src/auth/rate-limit/keyed-limiter.ts'
import { createRateLimiter, type RateLimiter } from '../../../src/auth/rate-limit/rate-limiter.ts'
import { openDatabase } from '../../../src/db/client.ts'
import { useTestDatabase } from '../../support/database.ts'
import { createTenant } from '../../support/factories.ts'
import { until } from '../../support/until.ts'

let keyId: string

const database = await useTestDatabase()

async function newKey(): Promise<string> {
  return (await createTenant(database.prisma)).keyId
}

function limiter(now?: () => number): RateLimiter {
  const fail = (error: unknown) => {
    throw error
  }
  return createRateLimiter({ sql: database.pool, onError: fail, ...(now && { now }) })
}

/** Consumes a number of requests one by one. Returns how many were granted. */
function consume(limiter: RateLimiter, key: string, perSecond: number, count: number): number {
  let granted = 0
  for (let i = 0; i < count; i++) {
    if (limiter.consume(key, 'requests', 1, perSecond).granted) granted++
  }
  return granted
}

describe('in one process', () => {
  test('an idle key may use ten seconds of its rate at once, and its rate per second afterwards', async () => {
    keyId = await newKey()
    let nowMs = 0
    await using one = limiter(() => nowMs)
    expect(consume(one, keyId, 5, 80)).toBe(50)
    nowMs += 1_000
    expect(consume(one, keyId, 5, 80)).toBe(5)
    nowMs += 3_600_000
    expect(consume(one, keyId, 5, 80)).toBe(50)
  })

  test('a rejected call names the time after which the next one is granted', async () => {
    keyId = await newKey()
    let nowMs = 0
    await using one = limiter(() => nowMs)
    one.consume(keyId, 'events', 1_000, 10)
    const rejected = one.consume(keyId, 'events', 1, 10)
    expect(rejected).toMatchObject({ granted: false, remaining: 0, quota: 100, resetSeconds: 100 })
    nowMs += rejected.retryAfterSeconds * 1_000 - 1_000
    expect(one.consume(keyId, 'events', 1, 10).granted).toBe(false)
    nowMs += 1_000
    expect(one.consume(keyId, 'events', 1, 10).granted).toBe(true)
  })

  test('each process counts its own usage while Postgres is unavailable', async () => {
    const unavailable = openDatabase('postgres://posthorn@127.0.0.1:1/none')
    const errors: unknown[] = []
    const one = createRateLimiter({ sql: unavailable.pool, onError: (error) => errors.push(error) })
    keyId = crypto.randomUUID()
    expect(consume(one, keyId, 1, 30)).toBe(10)
    await until(() => errors.length > 0, 'the error is reported')
    expect(one.consume(keyId, 'requests', 1, 1).granted).toBe(false)
    await one[Symbol.asyncDispose]()
    await unavailable[Symbol.asyncDispose]()
  })
})

async function levelOf(key: string): Promise<number | undefined> {
  const row = await database.prisma.rateLimit.findFirst({ where: { apiKeyId: key } })
  return row?.level
}

describe('across processes', () => {
  test('the usage of one process counts in the other', async () => {
    keyId = await newKey()
    await using one = limiter()
    await using other = limiter()
    expect(consume(one, keyId, 10, 200)).toBe(100)
    await until(async () => ((await levelOf(keyId)) ?? 0) > 0, 'the usage is synced')
    // The other process grants a tenth of the quota before its first sync.
    const early = consume(other, keyId, 10, 10)
    expect(early).toBe(10)
    await until(
      () => !other.consume(keyId, 'requests', 1, 10).granted,
      'the other process has synced',
    )
  })

  test('two processes together exceed the limit by at most the documented bound', async () => {
    keyId = await newKey()
    const [perSecond, quota] = [100, 1_000]
    await using one = limiter()
    await using other = limiter()
    const startedAt = performance.now()
    let granted = 0
    for (let asked = 0; asked < 2 * quota; asked += 10) {
      for (const process of [one, other]) granted += consume(process, keyId, perSecond, 5)
      await sleep(5)
    }
    const allowed = quota + (perSecond * (performance.now() - startedAt)) / 1_000
    expect(granted).toBeGreaterThan(quota * 0.9)
    expect(granted).toBeLessThan(allowed + quota * 0.2 + 50)
  })
})

test('the headers follow the IETF draft', async () => {
  keyId = await newKey()
  await using one = limiter()
  const requests = one.consume(keyId, 'requests', 1, 500)
  const events = one.consume(keyId, 'events', 3, 50_000)
  expect(rateLimitHeaders([requests, events])).toEqual([
    ['ratelimit-policy', '"requests";q=5000;w=10, "events";q=500000;w=10'],
    ['ratelimit', '"requests";r=4999;t=1, "events";r=499997;t=1'],
  ])
  expect(rateLimitHeaders([])).toEqual([])
})

describe('authentication failures', () => {
  test.each([
    ['one address', '203.0.113.7', '203.0.113.7'],
    ['one IPv6 network', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9'],
    ['one abbreviated IPv6 network', '2001:db8::1', '2001:db8:0:0:7:8:9:a'],
  ])('from %s have to wait after the first 20', (_, address, same) => {
    let nowMs = 0
    const failures = createAuthFailureLimiter(() => nowMs)
    const waits = Array.from({ length: MAX_AUTH_FAILURES }, () => failures.count(address))
    expect(waits).toEqual(Array(MAX_AUTH_FAILURES).fill(0))
    const wait = failures.count(same)
    expect(wait).toBeGreaterThan(0)
    nowMs += (wait + 3) * 1_000
    expect(failures.count(address)).toBe(0)
  })

  test.each([
    ['203.0.113.7', '203.0.113.8'],
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['::ffff:203.0.113.7', '::ffff:203.0.113.8'],
  ])('from %s do not count for %s', (address, other) => {
    const failures = createAuthFailureLimiter(() => 0)
    for (let i = 0; i < 100; i++) failures.count(address)
    expect(failures.count(address)).toBeGreaterThan(0)
    expect(failures.count(other)).toBe(0)
  })

  test('are kept for a limited number of addresses', () => {
    const failures = createAuthFailureLimiter(() => 0)
    for (let i = 0; i < 100; i++) failures.count('203.0.113.7')
    for (let i = 0; i < 10_000; i++) failures.count(`198.51.${i >> 8}.${i & 255}`)
    expect(failures.count('203.0.113.7')).toBe(0)
  })
})
