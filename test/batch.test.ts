import { expect, test } from 'vitest'
import { batched } from '../src/batch.ts'

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
