import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AttemptResult } from '../../src/scheduling/adaptive-limit.ts'
import { ConcurrencyLimiter } from '../../src/scheduling/concurrency-limiter.ts'
import type { Candidate } from '../../src/scheduling/limited-webhook.ts'

const OK: AttemptResult = { startedAt: 0, durationMs: 10, kind: 'ok' }
const UNREACHABLE: AttemptResult = { startedAt: 0, durationMs: 5_000, kind: 'unreachable' }

function startLimiter(capacity: number) {
  const limiter = new ConcurrencyLimiter({ capacity, onFreeCapacity: () => {}, now: () => 0 })
  const started: Candidate[] = []
  return {
    limiter,
    started,
    acquire(webhookId: string, organizationId: string): void {
      const candidate = { webhookId, organizationId, maxInFlight: 10 }
      const result = limiter.acquire(candidate)
      if (result === 'acquired') started.push(candidate)
      else if (typeof result !== 'string') {
        void result.then((late) => late === 'acquired' && started.push(candidate))
      }
    },
  }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

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
