import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AdaptiveLimit, type AttemptResult } from '../../src/scheduling/adaptive-limit.ts'

const MAX = 400

/** An endpoint that gets attempts in rounds. Each round starts as many as the limit allows. */
function startEndpoint({ max = MAX, inFlight }: { max?: number; inFlight?: number } = {}) {
  const limit = new AdaptiveLimit()
  let now = 0
  return {
    get limit() {
      return limit.cappedAt(max)
    },
    /** Runs rounds of attempts. The first `failing` attempts of each round fail. */
    run(rounds: number, durationMs: number, { failing = 0, kind = 'overload' as Kind } = {}) {
      for (let round = 0; round < rounds; round++) {
        const count = Math.min(inFlight ?? MAX, limit.cappedAt(max))
        for (let i = 0; i < count; i++) {
          const result = { startedAt: now, durationMs, kind: i < failing ? kind : 'ok' } as const
          limit.record(result, { inFlight: count, hasWaiting: false, max })
        }
        now += durationMs
      }
    },
  }
}

type Kind = AttemptResult['kind']

describe('an endpoint that keeps up', () => {
  test('gets twice as many attempts in parallel with each round trip, from 20 up to the maximum', () => {
    const endpoint = startEndpoint()
    const limits = Array.from({ length: 6 }, () => {
      const { limit } = endpoint
      endpoint.run(1, 200)
      return limit
    })
    expect(limits).toEqual([20, 40, 80, 160, 320, 400])
  })

  test('keeps its limit while less than half of it is used', () => {
    const endpoint = startEndpoint({ inFlight: 9 })
    endpoint.run(100, 50)
    expect(endpoint.limit).toBe(20)
  })

  test('never gets more than the maximum, and at least one', () => {
    const endpoint = startEndpoint({ max: 7 })
    endpoint.run(10, 50)
    expect(endpoint.limit).toBe(7)
    expect(new AdaptiveLimit().cappedAt(0)).toBe(1)
  })
})

// simulation.test.ts has endpoints that are overloaded, become slower, or are down for a while.
test('an endpoint gets one attempt at a time while nothing succeeds', () => {
  const endpoint = startEndpoint()
  endpoint.run(6, 15_000, { failing: MAX })
  expect(endpoint.limit).toBe(1)
})

test('a few events that an endpoint cannot process do not lower its limit', () => {
  const endpoint = startEndpoint()
  endpoint.run(3, 100)
  endpoint.run(100, 100, { failing: 3 })
  expect(endpoint.limit).toBe(MAX)
})

test('neutral results do not change the limit', () => {
  const endpoint = startEndpoint()
  endpoint.run(100, 10, { failing: MAX, kind: 'neutral' })
  expect(endpoint.limit).toBe(20)
})

test('the limit stays between 1 and the maximum for any sequence of results', () => {
  const attempt = fc.record({
    kind: fc.constantFrom<Kind>('ok', 'overload', 'neutral'),
    startedAt: fc.nat(100_000),
    durationMs: fc.nat(30_000),
    inFlight: fc.nat(500),
    hasWaiting: fc.boolean(),
    max: fc.integer({ min: 1, max: 500 }),
  })
  fc.assert(
    fc.property(fc.array(attempt, { maxLength: 500 }), (attempts) => {
      const limit = new AdaptiveLimit()
      for (const { inFlight, hasWaiting, max, ...result } of attempts) {
        const before = limit.cappedAt(Number.POSITIVE_INFINITY)
        limit.record(result, { inFlight, hasWaiting, max })
        const after = limit.cappedAt(Number.POSITIVE_INFINITY)
        expect(after).toBeGreaterThanOrEqual(1)
        expect(after).toBeLessThanOrEqual(Math.max(before, max))
        expect(limit.cappedAt(max)).toBeLessThanOrEqual(max)
        if (result.kind === 'overload') expect(after).toBeLessThanOrEqual(before)
        else expect(after).toBeGreaterThanOrEqual(before)
      }
    }),
  )
})
