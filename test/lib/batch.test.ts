import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { type BatchOptions, batched } from '../../src/lib/batch.ts'
import { until } from '../support/until.ts'

const REJECTED = new Error('rejected')

describe('a rejected batch', () => {
  const isolating = { maxSize: 1_000, isolate: (error: unknown) => error === REJECTED }

  test('runs again in halves: faulty calls are rejected, and each other call gets its own result', async () => {
    const bads = fc.uniqueArray(fc.nat(59), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 60 }), bads, async (count, bad) => {
        const done: number[] = []
        const run = batched(async (inputs: number[]) => {
          if (inputs.some((n) => bad.includes(n))) throw REJECTED
          done.push(...inputs)
          return inputs.map((n) => `result of ${n}`)
        }, isolating)
        const inputs = Array.from({ length: count }, (_, n) => n)
        const results = await Promise.allSettled(inputs.map(run))

        for (const [n, result] of results.entries()) {
          const expected = bad.includes(n)
            ? { status: 'rejected', reason: REJECTED }
            : { status: 'fulfilled', value: `result of ${n}` }
          expect(result).toEqual(expected)
        }
        // Each ran once, in the order of the calls.
        expect(done).toEqual(inputs.filter((n) => !bad.includes(n)))
      }),
    )
  })

  test('still runs the second half after such an error in the first', async () => {
    const broken = new Error('the connection broke')
    const run = batched(async (inputs: number[]) => {
      if (inputs.length === 4) throw REJECTED
      if (inputs.includes(1)) throw broken
      return inputs
    }, isolating)
    const results = await Promise.allSettled([1, 2, 3, 4].map(run))
    expect(results).toEqual([
      { status: 'rejected', reason: broken },
      { status: 'rejected', reason: broken },
      { status: 'fulfilled', value: 3 },
      { status: 'fulfilled', value: 4 },
    ])
  })
})

describe('batches with a limit on parallel runs', () => {
  test('gather further calls, which run as soon as a batch ends', async () => {
    const { begun, run, end } = controlled({ maxSize: 10, parallel: 2 })
    const results = [run(1)]
    await nextTick()
    results.push(run(2))
    await nextTick()
    for (const n of [3, 4, 5]) results.push(run(n))
    await nextTick()
    expect(begun).toEqual([[1], [2]])
    end()
    await until(() => begun.length === 3, 'the third batch begins')
    expect(begun[2]).toEqual([3, 4, 5])
    end()
    end()
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4, 5])
  })

  test('never exceed the maximum size, even if many calls wait', async () => {
    const { begun, run, end } = controlled({ maxSize: 3, parallel: 1 })
    const inputs = Array.from({ length: 8 }, (_, n) => n)
    const results = Promise.all(inputs.map(run))
    for (const next of [
      [0, 1, 2],
      [3, 4, 5],
      [6, 7],
    ]) {
      await until(() => begun.at(-1)?.join() === next.join(), `${next} begins`)
      end()
    }
    expect(await results).toEqual(inputs)
  })

  test('run one after the other even if they fail', async () => {
    let running = 0
    let maxRunning = 0
    const run = batched(
      async (inputs: number[]) => {
        maxRunning = Math.max(maxRunning, ++running)
        await nextTick()
        running -= 1
        throw new Error(`failed: ${inputs}`)
      },
      { maxSize: 2, parallel: 1 },
    )
    const results = await Promise.allSettled([1, 2, 3, 4].map(run))
    expect(results.map(({ status }) => status)).toEqual(Array(4).fill('rejected'))
    expect(maxRunning).toBe(1)
  })

  test('do not wait for a hanging batch while another one may run', async () => {
    const run = batched(
      (inputs: number[]) =>
        inputs.includes(1) ? new Promise<number[]>(() => {}) : Promise.resolve(inputs),
      { maxSize: 10, parallel: 2 },
    )
    void run(1)
    await nextTick()
    expect(await run(2)).toBe(2)
    expect(await run(3)).toBe(3)
  })
})

describe('calls that gather', () => {
  async function answer({ run, end }: ReturnType<typeof controlled>, inputs: number[]) {
    const results = inputs.map(run)
    await nextTick()
    end()
    await Promise.all(results)
    await nextTick()
  }

  test('wait for each other after a batch of several calls', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] })
    using _ = { [Symbol.dispose]: () => vi.useRealTimers() }
    const batches = controlled({ maxSize: 10, gatherMs: 3 })
    await answer(batches, [1, 2, 3, 4])
    void batches.run(5)
    await nextTick()
    void batches.run(6)
    vi.advanceTimersByTime(2)
    await nextTick()
    expect(batches.begun).toEqual([[1, 2, 3, 4]])
    vi.advanceTimersByTime(1)
    expect(batches.begun).toEqual([
      [1, 2, 3, 4],
      [5, 6],
    ])
  })

  test('do not wait after few calls, nor when many came long ago', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] })
    using _ = { [Symbol.dispose]: () => vi.useRealTimers() }
    const batches = controlled({ maxSize: 10, gatherMs: 3 })
    await answer(batches, [1, 2, 3])
    await answer(batches, [4, 5, 6, 7])
    vi.advanceTimersByTime(10)
    await answer(batches, [8])
    expect(batches.begun).toEqual([[1, 2, 3], [4, 5, 6, 7], [8]])
  })
})

test('a batch never exceeds the maximum weight, unless a single call does', async () => {
  const batches: number[][] = []
  const run = batched(
    async (inputs: number[]) => {
      batches.push(inputs)
      return inputs
    },
    { maxSize: 10, weight: { max: 10, of: (n) => n } },
  )
  expect(await Promise.all([4, 6, 1, 30, 5, 5, 2].map(run))).toEqual([4, 6, 1, 30, 5, 5, 2])
  expect(batches).toEqual([[4, 6], [1], [30], [5, 5], [2]])
})

/** `end` ends the oldest running batch. */
function controlled(options: BatchOptions<number>) {
  const begun: number[][] = []
  const ends: (() => void)[] = []
  const run = batched(async (inputs: number[]) => {
    begun.push(inputs)
    const { promise, resolve } = Promise.withResolvers<void>()
    ends.push(resolve)
    await promise
    return inputs
  }, options)
  return { begun, run, end: () => ends.shift()?.() }
}

/** Resolves after the batches that start at the end of this tick have started. */
const nextTick = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
