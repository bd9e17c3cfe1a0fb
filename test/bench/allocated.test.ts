import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Strings } from './allocate-main.ts'
import { COUNT_ALLOCATIONS, takeAllocated } from './allocated.ts'

// It says when it is ready, and when the strings are allocated.
const child = fork(fileURLToPath(new URL('allocate-main.ts', import.meta.url)), {
  execArgv: [...COUNT_ALLOCATIONS],
})
const ready = once(child, 'message')
const exited = once(child, 'exit')

const take = () => takeAllocated(child, ['worker', 'other'])

async function allocate(strings: Strings): Promise<void> {
  child.send(strings)
  await once(child, 'message')
}

beforeAll(async () => {
  await ready
  // What happens once.
  await allocate({ count: 10_000, length: 1_000, keep: 1_000 })
  await take()
})
afterAll(async () => {
  child.kill()
  await exited
})

/** The hash and the length of a string stand before its characters. */
const HEADER_BYTES = 16

/** V8 counts the part of the heap in which it allocates next as used or unused as a whole: at the end, and at each collection. */
const INEXACT_BYTES = 600_000
const INEXACT_SHARE = 0.03

test.each([
  ['that die young', { count: 200_000, length: 1_000, keep: 0 }],
  ['that live on', { count: 50_000, length: 1_000, keep: 50_000 }],
  ['of which half live on', { count: 100_000, length: 1_000, keep: 50_000 }],
  ['that are large and die', { count: 400, length: 500_000, keep: 0 }],
  ['that are fewer than a collection waits for', { count: 10_000, length: 1_000, keep: 0 }],
])('the bytes of strings %s are counted in their thread alone', async (_, strings) => {
  await allocate(strings)
  const { worker, other } = await take()
  const expected = strings.count * (strings.length + HEADER_BYTES)
  expect(Math.abs(worker - expected)).toBeLessThan(expected * INEXACT_SHARE + INEXACT_BYTES)
  expect(other).toBeLessThan(INEXACT_BYTES)
})

test('a thread that does nothing allocates next to nothing', async () => {
  const { worker } = await take()
  expect(worker).toBeLessThan(INEXACT_BYTES)
})
