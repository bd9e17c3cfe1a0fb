import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { batched } from '../../src/lib/batch.ts'
import { until } from './support/until.ts'

const REFUSED = new Error('refused')

test('calls of one tick run as one, and each gets its own answer', async () => {
  const batches: number[][] = []
  const double = batched(
    async (inputs: number[]) => {
      batches.push(inputs)
      return inputs.map((n) => n * 2)
    },
    { gatherMs: 0, maxSize: 10 },
  )
  expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6])
  expect(batches).toEqual([[1, 2, 3]])
  expect(await double(4)).toBe(8)
  expect(batches).toHaveLength(2)
})

test('a full batch goes at once, and the rest with the next', async () => {
  const sizes: number[] = []
  const count = batched(
    async (inputs: number[]) => {
      sizes.push(inputs.length)
      return inputs
    },
    { gatherMs: 1, maxSize: 3 },
  )
  await Promise.all([1, 2, 3, 4, 5, 6, 7].map(count))
  expect(sizes).toEqual([3, 3, 1])
})

test('a batch that fails rejects its calls, and no others', async () => {
  const run = batched(
    async (inputs: number[]) => {
      if (inputs.includes(2)) throw new Error('two')
      return inputs
    },
    { gatherMs: 1, maxSize: 2 },
  )
  const results = await Promise.allSettled([1, 2, 3].map(run))
  expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'fulfilled'])
})

describe('a batch that is refused', () => {
  const refuse = { gatherMs: 0, maxSize: 1_000, isolate: (error: unknown) => error === REFUSED }

  test('is taken apart: the calls at fault are refused, the others are answered, each with its own', async () => {
    const bads = fc.uniqueArray(fc.nat(59), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 60 }), bads, async (count, bad) => {
        const done: number[] = []
        const run = batched(async (inputs: number[]) => {
          if (inputs.some((n) => bad.includes(n))) throw REFUSED
          done.push(...inputs)
          return inputs.map((n) => `answer to ${n}`)
        }, refuse)
        const inputs = Array.from({ length: count }, (_, n) => n)
        const results = await Promise.allSettled(inputs.map(run))

        for (const [n, result] of results.entries()) {
          const expected = bad.includes(n)
            ? { status: 'rejected', reason: REFUSED }
            : { status: 'fulfilled', value: `answer to ${n}` }
          expect(result).toEqual(expected)
        }
        // Each once, and in the order of the calls.
        expect(done).toEqual(inputs.filter((n) => !bad.includes(n)))
      }),
    )
  })

  test('takes few runs for one call at fault', async () => {
    let runs = 0
    const run = batched(async (inputs: number[]) => {
      runs++
      if (inputs.includes(77)) throw REFUSED
      return inputs
    }, refuse)
    await Promise.allSettled(Array.from({ length: 256 }, (_, n) => run(n)))
    expect(runs).toBe(1 + 2 * Math.log2(256))
  })

  test('for a reason that leaves open what was done is not run again', async () => {
    const batches: number[][] = []
    const run = batched(async (inputs: number[]) => {
      batches.push(inputs)
      throw new Error('the connection broke')
    }, refuse)
    const results = await Promise.allSettled([1, 2, 3, 4].map(run))
    expect(results.map(({ status }) => status)).toEqual(Array(4).fill('rejected'))
    expect(batches).toEqual([[1, 2, 3, 4]])
  })

  test('in a part for such a reason is answered there with it, and its other part is run', async () => {
    const broken = new Error('the connection broke')
    const run = batched(async (inputs: number[]) => {
      if (inputs.length === 4) throw REFUSED
      if (inputs.includes(1)) throw broken
      return inputs
    }, refuse)
    const results = await Promise.allSettled([1, 2, 3, 4].map(run))
    expect(results).toEqual([
      { status: 'rejected', reason: broken },
      { status: 'rejected', reason: broken },
      { status: 'fulfilled', value: 3 },
      { status: 'fulfilled', value: 4 },
    ])
  })
})

describe('calls that wait only while a batch runs', () => {
  const MINUTE_MS = 60_000

  test('go with their tick when none runs, and together when it is done', async () => {
    const running: { inputs: number[]; done: () => void }[] = []
    const run = batched(
      (inputs: number[]) =>
        new Promise<number[]>((resolve) => {
          running.push({ inputs, done: () => resolve(inputs) })
        }),
      { gatherMs: MINUTE_MS, maxSize: 10, whenIdle: true },
    )
    const first = run(1)
    await until(() => running.length === 1, 'the first runs')
    const others = [run(2), run(3)]
    running[0]?.done()
    expect(await first).toBe(1)
    await until(() => running.length === 2, 'the others run')
    expect(running[1]?.inputs).toEqual([2, 3])
    running[1]?.done()
    expect(await Promise.all(others)).toEqual([2, 3])
  })

  test('wait for no batch that hangs', async () => {
    const run = batched(
      (inputs: number[]) =>
        inputs.includes(1) ? new Promise<number[]>(() => {}) : Promise.resolve(inputs),
      { gatherMs: 2, maxSize: 10, whenIdle: true },
    )
    void run(1)
    await new Promise((resolve) => setImmediate(resolve))
    expect(await run(2)).toBe(2)
  })
})

describe('batches that keep their distance', () => {
  const begun: { inputs: number[]; at: number }[] = []
  const note = async (inputs: number[]) => {
    begun.push({ inputs, at: performance.now() })
    return inputs
  }
  beforeEach(() => {
    begun.length = 0
  })

  test('go at once after a while, and together soon after another', async () => {
    const run = batched(note, { gatherMs: 0, distanceMs: 100, maxSize: 10 })
    await run(1)
    const [first] = begun
    const others = [run(2), run(3)]
    await new Promise((resolve) => setImmediate(resolve))
    others.push(run(4))
    expect(await Promise.all(others)).toEqual([2, 3, 4])
    expect(begun.map(({ inputs }) => inputs)).toEqual([[1], [2, 3, 4]])
    expect(Number(begun[1]?.at) - Number(first?.at)).toBeGreaterThanOrEqual(90)
  })

  test('keep it also from one that is done, and none when they are full', async () => {
    const run = batched(note, { gatherMs: 60_000, distanceMs: 100, maxSize: 2, whenIdle: true })
    await run(1)
    await run(2)
    await Promise.all([run(3), run(4)])
    expect(begun.map(({ inputs }) => inputs)).toEqual([[1], [2], [3, 4]])
    const [first = 0, second = 0, third = 0] = begun.map(({ at }) => at)
    expect(second - first).toBeGreaterThanOrEqual(90)
    expect(third - second).toBeLessThan(90)
  })

  test('need not keep it from one that began after a pause, and keep it from all others', async () => {
    const run = batched(note, { gatherMs: 0, distanceMs: 100, pauseMs: 250, maxSize: 10 })
    for (const n of [1, 2, 3, 4]) await run(n)
    await new Promise((resolve) => setTimeout(resolve, 260))
    for (const n of [5, 6]) await run(n)
    expect(begun.map(({ inputs }) => inputs)).toEqual([[1], [2], [3], [4], [5], [6]])
    const gaps = begun.slice(1).map(({ at }, i) => at - Number(begun[i]?.at))
    expect(gaps.map((gap) => gap < 90)).toEqual([true, false, false, false, true])
  })
})

describe('batches that keep more distance while they are small', () => {
  const patience = {
    fewerThan: 3,
    distanceMs: 60_000,
    isUrgent: (input: number) => input > 100,
  }
  const options = { gatherMs: 0, distanceMs: 20, patience, maxSize: 10 }

  test.each([
    ['as soon as there are enough', [2, 3, 4]],
    ['as soon as one of them is urgent', [2, 101]],
    ['as soon as one of them is, and take along who follows', [101, 2]],
  ])('go %s', async (_, inputs) => {
    const batches: number[][] = []
    const run = batched(async (inputs: number[]) => {
      batches.push(inputs)
      return inputs
    }, options)
    expect(await run(1)).toBe(1)
    expect(await Promise.all(inputs.map(run))).toEqual(inputs)
    expect(batches).toEqual([[1], inputs])
  })

  test('wait otherwise, and no longer than that', async () => {
    const begun: number[] = []
    const run = batched(
      async (inputs: number[]) => {
        begun.push(performance.now())
        return inputs
      },
      { ...options, distanceMs: 10, patience: { ...patience, distanceMs: 100 } },
    )
    await run(1)
    expect(await Promise.all([run(2), run(3)])).toEqual([2, 3])
    expect(Number(begun[1]) - Number(begun[0])).toBeGreaterThanOrEqual(90)
  })
})

test('a batch weighs no more than allowed, unless one call does by itself', async () => {
  const batches: number[][] = []
  const run = batched(
    async (inputs: number[]) => {
      batches.push(inputs)
      return inputs
    },
    { gatherMs: 0, maxSize: 10, weight: { max: 10, of: (n) => n } },
  )
  expect(await Promise.all([4, 6, 1, 30, 5, 5, 2].map(run))).toEqual([4, 6, 1, 30, 5, 5, 2])
  expect(batches).toEqual([[4, 6], [1], [30], [5, 5], [2]])
})

describe('batches of which few run at once where they are heavy', () => {
  /** Runs that end when they are told to, the first one first. */
  function holding(waitMs: number) {
    const begun: number[][] = []
    const held: (() => void)[] = []
    const run = batched(
      async (inputs: number[]) => {
        begun.push(inputs)
        const { promise, resolve } = Promise.withResolvers<void>()
        held.push(resolve)
        await promise
        return inputs
      },
      {
        gatherMs: 0,
        maxSize: 10,
        weight: { max: 10, of: (n) => n, parallel: { max: 2, light: 4, waitMs } },
      },
    )
    return { begun, run, end: () => held.shift()?.() }
  }

  test('wait for one of those that run, and go in their order, as many as a batch may have', async () => {
    const { begun, run, end } = holding(60_000)
    const inputs = [10, 10, 6, 4, 1, 30, 2]
    const answers = Promise.all(inputs.map(run))
    await tick()
    expect(begun).toEqual([[10], [10]])
    const last = run(3)
    for (const next of [[6, 4], [1], [30], [2, 3]]) {
      end()
      await until(() => begun.at(-1)?.join() === next.join(), `${next} begins`)
    }
    expect(begun).toHaveLength(6)
    end()
    end()
    expect(await answers).toEqual(inputs)
    expect(await last).toBe(3)
  })

  test('wait for nothing while those that run are light', async () => {
    const { begun, run, end } = holding(60_000)
    const answers: Promise<number>[] = []
    for (const n of [1, 1, 2, 5, 1]) {
      answers.push(run(n))
      await tick()
    }
    expect(begun).toEqual([[1], [1], [2], [5]])
    // Until one runs alone.
    for (let i = 0; i < 3; i++) end()
    await until(() => begun.length === 5, 'the last one begins')
    for (const _ of begun) end()
    expect(await Promise.all(answers)).toEqual([1, 1, 2, 5, 1])
  })

  test('wait no longer than is allowed for those that hang', async () => {
    const { begun, run } = holding(30)
    for (const n of [10, 10, 10]) void run(n)
    await tick()
    expect(begun).toHaveLength(2)
    await until(() => begun.length === 3, 'the third begins')
  })
})

/** Until what was to begin at the end of this one has begun. */
const tick = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
