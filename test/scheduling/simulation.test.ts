import { describe, expect, test } from 'vitest'
import {
  type SimulatedHistory,
  type SimulatedWebhook,
  simulate,
  waitMs,
} from './support/simulation.ts'

type Answer = SimulatedWebhook['answer']

const CAPACITY = 500

/** The first webhook of each test. */
const OFFERED = { id: 'offered', organizationId: 'one', perSecond: 500 }

async function run(
  seconds: number,
  webhook: Partial<SimulatedWebhook> & { answer: Answer },
): Promise<SimulatedHistory> {
  const histories = await simulate([{ ...OFFERED, ...webhook }], { capacity: CAPACITY, seconds })
  return histories.get('offered') as SimulatedHistory
}

const steady =
  (durationMs: number): Answer =>
  () => ({ durationMs, kind: 'ok' })

const hanging: Answer = () => ({ durationMs: 15_000, kind: 'overload' })

const hangingLater: Answer = (inParallel, nowMs) =>
  nowMs < 10_000 ? { durationMs: 200, kind: 'ok' } : hanging(inParallel, nowMs)

const offeredAfter = ({ attempts }: SimulatedHistory, ms: number) =>
  attempts.filter(({ offeredAt }) => offeredAt >= ms)

function failedShare({ attempts }: SimulatedHistory): number {
  return attempts.filter(({ kind }) => kind === 'overload').length / attempts.length
}

describe('500 events a second', () => {
  test.each([5, 50, 200, 400])(
    'do not wait at an endpoint that answers in %i ms',
    async (durationMs) => {
      const later = offeredAfter(await run(20, { answer: steady(durationMs) }), 5_000)
      expect(waitMs(later, 0.5)).toBe(0)
      expect(waitMs(later, 0.99)).toBeLessThanOrEqual(100)
      expect(later.length).toBeGreaterThan(7_000)
    },
  )

  test('wait at most 100 ms again after an endpoint has become slower', async () => {
    const history = await run(60, {
      answer: (_, nowMs) => ({ durationMs: nowMs < 10_000 ? 50 : 200, kind: 'ok' }),
    })
    expect(waitMs(history.attempts, 1)).toBeLessThan(10_000)
    expect(waitMs(offeredAfter(history, 50_000), 0.99)).toBeLessThanOrEqual(100)
  })
})

test.each([
  { durationMs: 100, failsAfterMs: 1 },
  { durationMs: 200, failsAfterMs: 1 },
  { durationMs: 200, failsAfterMs: 200 },
  { durationMs: 1_000, failsAfterMs: 1_000 },
])(
  'an endpoint of $durationMs ms that rejects more than 50 in parallel after $failsAfterMs ms rejects at most a tenth',
  async ({ durationMs, failsAfterMs }) => {
    const history = await run(60, {
      answer: (inParallel) =>
        inParallel > 50
          ? { durationMs: failsAfterMs, kind: 'overload' }
          : { durationMs, kind: 'ok' },
    })
    expect(failedShare(history)).toBeLessThanOrEqual(0.1)
    expect(history.attempts.length, 'the endpoint is kept busy').toBeGreaterThan(
      0.7 * 50 * (60_000 / durationMs),
    )
  },
)

test('no delivery of a batch of 20,000 to a fast endpoint is rejected', async () => {
  const history = await run(10, { perSecond: 0, batchSize: 20_000, answer: steady(1) })
  expect(history.rejected).toBe(0)
  expect(history.attempts).toHaveLength(20_000)
  expect(waitMs(history.attempts, 1)).toBeLessThan(1_000)
})

describe('an endpoint that hangs', () => {
  const beside: SimulatedWebhook[] = ['one', 'two'].map((organizationId) => {
    return { id: organizationId, organizationId, perSecond: 200, answer: steady(50) }
  })

  test.each([
    { name: 'from the start', offered: { ...OFFERED, answer: hanging } },
    {
      name: 'after its limit reached the maximum',
      offered: {
        ...OFFERED,
        batchSize: 20_000,
        answer: hangingLater,
      },
    },
  ])('$name delays no other webhook of any organization', async ({ offered }) => {
    const histories = await simulate([offered, ...beside], { capacity: CAPACITY, seconds: 40 })
    for (const { id } of beside) {
      const { attempts, rejected } = histories.get(id) as SimulatedHistory
      expect(attempts.length, id).toBeGreaterThan(7_990)
      expect(waitMs(attempts, 0.99), id).toBeLessThanOrEqual(10)
      expect(rejected, id).toBe(0)
    }
  })
})
