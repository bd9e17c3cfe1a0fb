import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AttemptResult } from '../../src/scheduling/adaptive-limit.ts'
import { ConcurrencyLimiter } from '../../src/scheduling/concurrency-limiter.ts'
import type { Candidate } from '../../src/scheduling/limited-webhook.ts'

const CAPACITY = 100
/** A quarter of the capacity counts apart; of it and of the capacity, one organization gets four fifths. */
const SHARE = 80
const APART = 20
const OF_ONE_WEBHOOK = 3

const OK: AttemptResult = { startedAt: 0, durationMs: 10, kind: 'ok' }
const UNREACHABLE: AttemptResult = { startedAt: 0, durationMs: 5_000, kind: 'unreachable' }

function startLimiter(capacity = CAPACITY) {
  const limiter = new ConcurrencyLimiter({ capacity, onFreeCapacity: () => {}, now: () => 0 })
  const started: Candidate[] = []
  return {
    limiter,
    started,
    acquire(webhookId: string, organizationId = 'one', maxInFlight = 10): Candidate {
      const candidate = { webhookId, organizationId, maxInFlight }
      const result = limiter.acquire(candidate)
      if (result === 'acquired') started.push(candidate)
      else if (typeof result !== 'string') {
        void result.then((late) => late === 'acquired' && started.push(candidate))
      }
      return candidate
    },
  }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
const deadOnes = (count: number) => Array.from({ length: count }, (_, i) => `dead ${i}`)

describe('attempts without a connection', () => {
  test('end when another endpoint needs their place, one for each', async () => {
    const { limiter, acquire, started } = startLimiter()
    const dead = deadOnes(SHARE).map((id) => acquire(id))
    for (const one of dead) limiter.mayGoOn(one)
    for (let i = 0; i < APART + 3; i++) acquire(`healthy ${i}`)
    await settled()
    expect(started, 'places that the first ones left').toHaveLength(SHARE + APART)
    const answers = dead.map((one) => limiter.mayGoOn(one))
    await settled()
    expect(answers.filter((goesOn) => !goesOn)).toHaveLength(3)
    expect(started).toHaveLength(SHARE + APART + 3)
  })

  test('of one webhook are only a small share of those that count apart', () => {
    const { limiter, acquire, started } = startLimiter()
    const dead = Array.from({ length: SHARE }, () => acquire('dead', 'one', 200))
    for (const one of dead) limiter.mayGoOn(one)
    for (let i = 0; i < APART; i++) acquire(`healthy ${i}`)
    expect(started).toHaveLength(SHARE + OF_ONE_WEBHOOK)
  })
})

test('for any sequence of attempts, those in flight stay within the capacity and a quarter more, and none is lost', async () => {
  const step = fc.record({
    kind: fc.constantFrom('acquire', 'acquire', 'ask', 'ask', 'answer', 'fail'),
    which: fc.nat(30),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 40 }),
      fc.array(step, { maxLength: 200 }),
      async (capacity, steps) => {
        const { limiter, acquire, started } = startLimiter(capacity)
        for (const { kind, which } of steps) {
          const at = which % Math.max(1, started.length)
          const candidate = started[at]
          if (kind === 'acquire') acquire(`webhook ${which % 8}`, `organization ${which % 3}`)
          else if (candidate && kind === 'ask') {
            if (!limiter.mayGoOn(candidate)) started.splice(started.indexOf(candidate), 1)
          } else if (candidate) {
            started.splice(at, 1)
            limiter.release(candidate, kind === 'answer' ? OK : UNREACHABLE)
          }
          await settled()
          expect(limiter.inFlight).toBe(started.length)
          expect(limiter.inFlight).toBeLessThanOrEqual(capacity + Math.ceil(capacity / 4))
        }
        for (let rounds = 0; limiter.inFlight + limiter.waiting > 0; rounds += 1) {
          for (const one of started.splice(0)) limiter.release(one, UNREACHABLE)
          limiter.tick()
          await settled()
          expect(rounds, 'every waiting candidate starts').toBeLessThan(300)
        }
      },
    ),
    { numRuns: 100 },
  )
})
