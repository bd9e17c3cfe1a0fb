import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { openDatabase } from '../../src/db/client.ts'
import { createFailedAttempts, MAX_FAILURES } from '../../src/rate-limit/failed-attempts.ts'
import { rateLimitHeaders } from '../../src/rate-limit/rate-limit-headers.ts'
import { createRateLimiter, type RateLimiter } from '../../src/rate-limit/rate-limiter.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant } from '../support/factories.ts'
import { until } from '../support/until.ts'

let database: Database
let keyId: string

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

async function newKey(): Promise<string> {
  return (await createTenant(database.prisma)).keyId
}

function limiter(now?: () => number): RateLimiter {
  const fail = (error: unknown) => {
    throw error
  }
  return createRateLimiter({ sql: database.pool, onError: fail, ...(now && { now }) })
}

function takeAll(limiter: RateLimiter, key: string, perSecond: number, tries: number): number {
  let granted = 0
  for (let i = 0; i < tries; i++) {
    if (limiter.take(key, 'requests', 1, perSecond).granted) granted++
  }
  return granted
}

describe('in one process', () => {
  test('ten seconds’ worth may be used at once, then as much as is allowed per second', async () => {
    keyId = await newKey()
    let nowMs = 0
    await using one = limiter(() => nowMs)
    expect(takeAll(one, keyId, 5, 80)).toBe(50)
    nowMs += 1_000
    expect(takeAll(one, keyId, 5, 80)).toBe(5)
    nowMs += 3_600_000
    expect(takeAll(one, keyId, 5, 80)).toBe(50)
  })

  test('what is refused says when to try again, and then it is granted', async () => {
    keyId = await newKey()
    let nowMs = 0
    await using one = limiter(() => nowMs)
    one.take(keyId, 'events', 1_000, 10)
    const refused = one.take(keyId, 'events', 1, 10)
    expect(refused).toMatchObject({ granted: false, remaining: 0, quota: 100, resetSeconds: 100 })
    nowMs += refused.retryAfterSeconds * 1_000 - 1_000
    expect(one.take(keyId, 'events', 1, 10).granted).toBe(false)
    nowMs += 1_000
    expect(one.take(keyId, 'events', 1, 10).granted).toBe(true)
  })

  test('keys and budgets do not take from each other', async () => {
    const [a, b] = [await newKey(), await newKey()]
    await using one = limiter()
    one.take(a, 'requests', 1_000, 1)
    expect(one.take(a, 'requests', 1, 1).granted).toBe(false)
    expect(one.take(a, 'events', 1, 1).granted).toBe(true)
    expect(one.take(b, 'requests', 1, 1).granted).toBe(true)
  })

  test('without Postgres each process goes on counting by itself', async () => {
    const away = openDatabase('postgres://posthorn@127.0.0.1:1/none')
    const errors: unknown[] = []
    const one = createRateLimiter({ sql: away.pool, onError: (error) => errors.push(error) })
    keyId = crypto.randomUUID()
    expect(takeAll(one, keyId, 1, 30)).toBe(10)
    await until(() => errors.length > 0, 'the error is reported')
    expect(one.take(keyId, 'requests', 1, 1).granted).toBe(false)
    await one[Symbol.asyncDispose]()
    await away[Symbol.asyncDispose]()
  })

  test('a key that is gone meanwhile harms nobody else', async () => {
    keyId = await newKey()
    await using one = limiter()
    takeAll(one, crypto.randomUUID(), 1, 30)
    takeAll(one, keyId, 1, 30)
    await until(async () => (await levelOf(keyId)) !== undefined, 'the use is shared')
  })
})

async function levelOf(key: string): Promise<number | undefined> {
  const row = await database.prisma.rateLimit.findFirst({ where: { apiKeyId: key } })
  return row?.level
}

describe('across processes', () => {
  test('what one used, the other does not grant again', async () => {
    keyId = await newKey()
    await using one = limiter()
    await using other = limiter()
    expect(takeAll(one, keyId, 10, 200)).toBe(100)
    await until(async () => ((await levelOf(keyId)) ?? 0) > 0, 'the use is shared')
    // A tenth is granted before the first word of the others, by which time there is none.
    const early = takeAll(other, keyId, 10, 10)
    expect(early).toBe(10)
    await until(
      () => !other.take(keyId, 'requests', 1, 10).granted,
      'the other process has heard of it',
    )
  })

  test('two together grant what is allowed, within the bound that is promised', async () => {
    keyId = await newKey()
    const [perSecond, quota] = [100, 1_000]
    await using one = limiter()
    await using other = limiter()
    const begun = performance.now()
    let granted = 0
    while (performance.now() - begun < 1_500) {
      for (const process of [one, other]) granted += takeAll(process, keyId, perSecond, 5)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const allowed = quota + (perSecond * (performance.now() - begun)) / 1_000
    expect(granted).toBeGreaterThan(quota * 0.9)
    expect(granted).toBeLessThan(allowed + quota * 0.2 + 50)
  })
})

test('the headers have the syntax of the draft', async () => {
  keyId = await newKey()
  await using one = limiter()
  const requests = one.take(keyId, 'requests', 1, 500)
  const events = one.take(keyId, 'events', 3, 50_000)
  expect(rateLimitHeaders([requests, events])).toEqual([
    ['ratelimit-policy', '"requests";q=5000;w=10, "events";q=500000;w=10'],
    ['ratelimit', '"requests";r=4999;t=1, "events";r=499997;t=1'],
  ])
  expect(rateLimitHeaders([])).toEqual([])
})

describe('failures', () => {
  test.each([
    ['one address', '203.0.113.7', '203.0.113.7'],
    ['one network of IPv6', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9'],
    ['one written in short', '2001:db8::1', '2001:db8:0:0:7:8:9:a'],
  ])('from %s, more than 20 at once have to wait', (_, address, same) => {
    let nowMs = 0
    const failed = createFailedAttempts(() => nowMs)
    const waits = Array.from({ length: MAX_FAILURES }, () => failed.add(address))
    expect(waits).toEqual(Array(MAX_FAILURES).fill(0))
    const wait = failed.add(same)
    expect(wait).toBeGreaterThan(0)
    nowMs += (wait + 3) * 1_000
    expect(failed.add(address)).toBe(0)
  })

  test.each([
    ['203.0.113.7', '203.0.113.8'],
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['::ffff:203.0.113.7', '::ffff:203.0.113.8'],
  ])('from %s do not count for %s', (address, other) => {
    const failed = createFailedAttempts(() => 0)
    for (let i = 0; i < 100; i++) failed.add(address)
    expect(failed.add(address)).toBeGreaterThan(0)
    expect(failed.add(other)).toBe(0)
  })

  test('of however many addresses, only some are remembered', () => {
    const failed = createFailedAttempts(() => 0)
    for (let i = 0; i < 100; i++) failed.add('203.0.113.7')
    for (let i = 0; i < 10_000; i++) failed.add(`198.51.${i >> 8}.${i & 255}`)
    expect(failed.add('203.0.113.7')).toBe(0)
  })
})
