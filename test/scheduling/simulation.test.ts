import { describe, expect, test } from 'vitest'
import { ConcurrencyLimiter } from '../../src/scheduling/concurrency-limiter.ts'
import type { AttemptResult } from '../../src/scheduling/limited-webhook.ts'

/** `inParallel` counts the attempt itself. */
type Answer = (inParallel: number, nowMs: number) => Omit<AttemptResult, 'startedAt'>

interface Attempt {
  readonly offeredAt: number
  readonly startedAt: number
  readonly kind: AttemptResult['kind']
}

const WEBHOOK = { webhookId: 'a webhook', organizationId: 'its organization', maxInFlight: null }
/** The time from reading the backlog until the deliveries are in the limiter. */
const RELEASE_MS = 20

/** Simulates a webhook of one process, millisecond by millisecond. Rejected deliveries form a backlog. */
async function run(seconds: number, answer: Answer, { perSecond = 500, batchSize = 0 } = {}) {
  let nowMs = 0
  let inTransit = 0
  let inParallel = 0
  let offered = 0
  let rejected = 0
  let backlog: number[] = []
  const attempts: Attempt[] = []
  const timers = new Map<number, (() => void)[]>()
  const limiter = new ConcurrencyLimiter({
    capacity: 500,
    onFreeCapacity: release,
    now: () => nowMs,
  })

  function after(ms: number, action: () => void): void {
    const at = nowMs + Math.max(1, Math.round(ms))
    timers.set(at, [...(timers.get(at) ?? []), action])
  }

  function offer(offeredAt: number): void {
    const settle = (result: string) => {
      if (result === 'acquired') return send(offeredAt)
      rejected += 1
      backlog.push(offeredAt)
    }
    const acquired = limiter.acquire(WEBHOOK)
    if (typeof acquired === 'string') settle(acquired)
    else void acquired.then(settle)
  }

  function send(offeredAt: number): void {
    inParallel += 1
    const result = { startedAt: nowMs, ...answer(inParallel, nowMs) }
    attempts.push({ offeredAt, startedAt: nowMs, kind: result.kind })
    after(result.durationMs, () => {
      inParallel -= 1
      limiter.release(WEBHOOK, result)
    })
  }

  function release(): void {
    const free = limiter.freeForWebhook(WEBHOOK.webhookId, null)
    const released = backlog.slice(0, Math.max(0, free - inTransit))
    backlog = backlog.slice(released.length)
    inTransit += released.length
    after(RELEASE_MS, () => {
      inTransit -= released.length
      for (const offeredAt of released) offer(offeredAt)
    })
  }

  for (; nowMs < seconds * 1_000; nowMs += 1) {
    for (const action of timers.get(nowMs) ?? []) action()
    timers.delete(nowMs)
    for (; offered < batchSize + Math.floor((perSecond * nowMs) / 1_000); offered += 1) {
      if (backlog.length > 0) backlog.push(nowMs)
      else offer(nowMs)
    }
    if (nowMs % 100 === 0) limiter.tick()
    // Resolves after the candidates that the limiter has answered.
    await null
    if (nowMs % 500 === 0 && backlog.length > 0) {
      limiter.setBacklogged(new Set([WEBHOOK.webhookId]))
      release()
    }
  }
  return { attempts, rejected }
}

/** The longest time that attempts waited, but for one in a hundred. */
function waitMs(attempts: readonly Attempt[]): number {
  const waits = attempts.map(({ offeredAt, startedAt }) => startedAt - offeredAt)
  return waits.toSorted((a, b) => a - b)[Math.ceil(0.99 * waits.length) - 1] ?? 0
}

const steady =
  (durationMs: number): Answer =>
  () => ({ durationMs, kind: 'ok' })

describe('500 events a second', () => {
  test.each([5, 50, 200, 400])('do not wait at an endpoint that answers in %i ms', async (ms) => {
    const { attempts } = await run(20, steady(ms))
    const later = attempts.filter(({ offeredAt }) => offeredAt >= 5_000)
    expect(waitMs(later)).toBeLessThanOrEqual(100)
    expect(later.length).toBeGreaterThan(7_000)
  })

  test('wait at most 100 ms again after an endpoint has become slower', async () => {
    const { attempts } = await run(60, (inParallel, nowMs) =>
      steady(nowMs < 10_000 ? 50 : 200)(inParallel, nowMs),
    )
    expect(waitMs(attempts.filter(({ offeredAt }) => offeredAt >= 50_000))).toBeLessThanOrEqual(100)
  })
})

test.each([
  { durationMs: 100, failsAfterMs: 1 },
  { durationMs: 200, failsAfterMs: 200 },
  { durationMs: 1_000, failsAfterMs: 1_000 },
])(
  'an endpoint of $durationMs ms that rejects more than 50 in parallel after $failsAfterMs ms rejects at most a tenth',
  async ({ durationMs, failsAfterMs }) => {
    const { attempts } = await run(60, (inParallel) =>
      inParallel > 50 ? { durationMs: failsAfterMs, kind: 'overload' } : { durationMs, kind: 'ok' },
    )
    const failed = attempts.filter(({ kind }) => kind === 'overload')
    expect(failed.length / attempts.length).toBeLessThanOrEqual(0.1)
    const busy = 0.7 * 50 * (60_000 / durationMs)
    expect(attempts.length, 'the endpoint is kept busy').toBeGreaterThan(busy)
  },
)

test('no delivery of a batch of 20,000 to a fast endpoint is rejected', async () => {
  const { attempts, rejected } = await run(10, steady(1), { perSecond: 0, batchSize: 20_000 })
  expect(rejected).toBe(0)
  expect(attempts).toHaveLength(20_000)
})
