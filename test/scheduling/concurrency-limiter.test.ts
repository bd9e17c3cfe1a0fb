import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AttemptResult } from '../../src/scheduling/adaptive-limit.ts'
import { ConcurrencyLimiter } from '../../src/scheduling/concurrency-limiter.ts'
import type { Candidate } from '../../src/scheduling/limited-webhook.ts'

/** A limiter with a manual clock, and the results of its candidates. */
function startLimiter(capacity: number) {
  let now = 0
  const inFlight: Candidate[] = []
  const acquired: string[] = []
  const rejected: string[] = []
  const withFreeCapacity: string[] = []
  const limiter = new ConcurrencyLimiter({
    capacity,
    onFreeCapacity: (webhookId) => withFreeCapacity.push(webhookId),
    now: () => now,
  })
  const settle = (candidate: Candidate, result: string) => {
    if (result === 'rejected') return void rejected.push(candidate.webhookId)
    inFlight.push(candidate)
    acquired.push(candidate.webhookId)
  }
  return {
    limiter,
    inFlight,
    acquired,
    rejected,
    withFreeCapacity,
    /** Records the result. If the candidate waits, await `settled` first. */
    acquire(webhookId: string, organizationId: string, maxInFlight: number | null = 20) {
      const candidate = { webhookId, organizationId, maxInFlight }
      const result = limiter.acquire(candidate)
      if (typeof result === 'string') settle(candidate, result)
      else void result.then((late) => settle(candidate, late))
    },
    /** Ends the first attempt of a webhook, or of all webhooks. */
    async release(webhookId?: string, result: AttemptResult | null = null) {
      const at = inFlight.findIndex((one) => webhookId === undefined || one.webhookId === webhookId)
      const [candidate] = inFlight.splice(at, 1)
      limiter.release(candidate as Candidate, result)
      await settled()
    },
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 100) {
        now += 100
        limiter.tick()
      }
      await settled()
    },
  }
}

/** Resolves once all results so far are recorded. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

const count = (all: readonly string[], one: string) => all.filter((other) => other === one).length

const webhookOf = (i: number) => `webhook ${i}`
const organizationOf = (i: number) => `organization ${i % 4}`

describe('for any sequence of candidates, results and ticks', () => {
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ send: fc.nat(11), limit: fc.integer({ min: 1, max: 8 }) }),
    },
    { weight: 3, arbitrary: fc.record({ end: fc.nat(1_000) }) },
    { weight: 1, arbitrary: fc.record({ passMs: fc.constantFrom(100, 300, 1_500) }) },
    { weight: 1, arbitrary: fc.record({ reject: fc.nat(11) }) },
    { weight: 1, arbitrary: fc.record({ backlogged: fc.uniqueArray(fc.nat(11)) }) },
  )

  test('attempts in flight stay within the capacity and the limit of each webhook, and each candidate gets one result', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 30 }),
        fc.array(step, { maxLength: 200 }),
        async (capacity, steps) => {
          const world = startLimiter(capacity)
          const { limiter, inFlight } = world
          const limits = new Map<string, number>()
          let sent = 0
          for (const one of steps) {
            const before = countByWebhook(inFlight)
            if ('send' in one) {
              const webhookId = webhookOf(one.send)
              world.acquire(webhookId, organizationOf(one.send), one.limit)
              limits.set(webhookId, one.limit)
              sent += 1
            } else if ('end' in one && inFlight.length > 0) {
              await world.release(inFlight[one.end % inFlight.length]?.webhookId)
            } else if ('passMs' in one) await world.pass(one.passMs)
            else if ('reject' in one) limiter.rejectWaiting(webhookOf(one.reject))
            else if ('backlogged' in one)
              limiter.setBacklogged(new Set(one.backlogged.map(webhookOf)))
            await settled()
            expect(inFlight.length).toBeLessThanOrEqual(capacity)
            expect(limiter.inFlight).toBe(inFlight.length)
            expect(limiter.inFlight + limiter.waiting + world.rejected.length + ended(world)).toBe(
              sent,
            )
            for (const [webhookId, now] of countByWebhook(inFlight)) {
              // Attempts that started before the limit was lowered continue.
              const max = Math.max(limits.get(webhookId) ?? 0, before.get(webhookId) ?? 0)
              expect(now, webhookId).toBeLessThanOrEqual(max)
            }
          }
          limiter.close()
          await settled()
          expect(limiter.waiting).toBe(0)
          while (inFlight.length > 0) await world.release()
          expect(limiter.inFlight).toBe(0)
          expect(world.acquired.length + world.rejected.length).toBe(sent)
        },
      ),
      { numRuns: 150 },
    )
  })

  const ended = ({ acquired, inFlight }: ReturnType<typeof startLimiter>) =>
    acquired.length - inFlight.length

  function countByWebhook(candidates: readonly Candidate[]): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { webhookId } of candidates) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1)
    return counts
  }

  test('every waiting candidate starts while attempts end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 30 }),
        fc.array(fc.record({ webhook: fc.nat(11), limit: fc.integer({ min: 1, max: 8 }) }), {
          minLength: 1,
          maxLength: 300,
        }),
        async (capacity, candidates) => {
          const world = startLimiter(capacity)
          for (const { webhook, limit } of candidates)
            world.acquire(webhookOf(webhook), organizationOf(webhook), limit)
          for (let ended = 0; ended < candidates.length; ended++) {
            expect(world.inFlight.length, 'some attempt is in flight').toBeGreaterThan(0)
            await world.release()
          }
          expect(world.acquired).toHaveLength(candidates.length)
        },
      ),
      { numRuns: 50 },
    )
  })

  test('a candidate starts at once although another organization has hundreds waiting', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 5, max: 200 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 200 }),
        async (capacity, webhooks, limit) => {
          const world = startLimiter(capacity)
          for (let i = 0; i < 800; i++) world.acquire(webhookOf(i % webhooks), 'hungry', limit)
          for (let i = 0; i < 50; i++) await world.release()
          world.acquire('other', 'modest')
          expect(world.acquired.at(-1)).toBe('other')
        },
      ),
      { numRuns: 100 },
    )
  })
})

test('organizations take turns, and so do the webhooks of each, regardless of how many candidates they have', async () => {
  const { acquire, release, acquired } = startLimiter(9)
  for (let i = 0; i < 9; i++) acquire(`filler ${i}`, `filler ${i}`)
  for (let i = 0; i < 200; i++) acquire('one, a', 'one')
  for (let i = 0; i < 20; i++) acquire('one, b', 'one')
  for (let i = 0; i < 20; i++) acquire('two', 'two')
  acquired.length = 0
  for (let i = 0; i < 40; i++) await release()
  expect(count(acquired, 'two')).toBeGreaterThan(17)
  expect(count(acquired, 'one, a')).toBeGreaterThan(8)
  expect(count(acquired, 'one, b')).toBeGreaterThan(8)
})

test('candidates of a stalled organization are rejected at once, and those of another one start', async () => {
  const { acquire, acquired, pass, rejected, release } = startLimiter(50)
  for (let i = 0; i < 600; i++) acquire(webhookOf(i % 60), 'hungry')
  await pass(500)
  rejected.length = 0
  for (let i = 0; i < 600; i++) acquire(webhookOf(i % 60), 'hungry')
  expect(rejected.length).toBeGreaterThan(550)
  acquire('other', 'modest')
  expect(acquired.at(-1)).toBe('other')

  for (let i = 0; i < 60; i++) await release()
  await pass(100)
  rejected.length = 0
  for (let i = 0; i < 20; i++) acquire(webhookOf(i), 'hungry')
  expect(rejected, 'the organization has recovered').toEqual([])
})

test('10,000 idle webhooks are evicted; a busy one is not', async () => {
  const { limiter, acquire, release, pass } = startLimiter(100)
  acquire('busy', 'one', 3)
  for (let i = 0; i < 10_000; i++) {
    acquire(webhookOf(i), `organization ${i}`, 3)
    const candidate = { webhookId: webhookOf(i), organizationId: `organization ${i}` }
    limiter.release({ ...candidate, maxInFlight: 3 }, null)
  }
  // For a webhook in the limiter, the limit of its candidates counts, not the one of this call.
  const known = () =>
    Array.from({ length: 10_000 }, (_, i) => limiter.freeForWebhook(webhookOf(i), 50)).filter(
      (n) => n < 100,
    )
  expect(known()).toHaveLength(10_000)
  await pass(1_500)
  expect(known()).toEqual([])
  expect(limiter.freeForWebhook('busy', 50)).toBe(5)
  await release('busy')
  await pass(1_500)
  expect(limiter.freeForWebhook('busy', 50)).toBe(100)
})
