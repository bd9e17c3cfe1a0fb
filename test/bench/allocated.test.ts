import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { COUNT_ALLOCATIONS, takeAllocated } from './allocated.ts'

/** A thread that allocates strings in its heap: `keep` of them live on. */
const ALLOCATE = `
const { parentPort } = require('node:worker_threads')
const kept = []
parentPort.on('message', ({ count, length, keep }) => {
  const bytes = Buffer.alloc(length)
  for (let i = 0; i < count; i++) {
    const string = bytes.latin1Slice()
    if (i < keep) kept.push(string)
  }
  parentPort.postMessage('allocated')
})`

const PROGRAM = `
const { Worker } = require('node:worker_threads')
new Worker(${JSON.stringify(ALLOCATE)}, { eval: true, name: 'other' })
const worker = new Worker(${JSON.stringify(ALLOCATE)}, { eval: true, name: 'worker' })
worker.on('message', (message) => process.send(message))
process.on('message', (message) => {
  if (message.count) worker.postMessage(message)
})
process.send('ready')`

const child = spawn(process.execPath, [...COUNT_ALLOCATIONS, '--eval', PROGRAM], {
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
})

const ready = once(child, 'message')
const exited = once(child, 'exit')

const take = () => takeAllocated(child, ['worker', 'other'])

async function allocate(strings: { count: number; length: number; keep: number }): Promise<void> {
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

const MEGABYTE = 1e6

test.each([
  ['that die young', { count: 200_000, length: 1_000, keep: 0 }],
  ['that live on', { count: 50_000, length: 1_000, keep: 50_000 }],
  ['of which half live on', { count: 100_000, length: 1_000, keep: 50_000 }],
  ['that are large and die', { count: 400, length: 500_000, keep: 0 }],
  ['that are fewer than a collection waits for', { count: 1_000, length: 1_000, keep: 0 }],
])('the bytes of strings %s are counted in their thread alone', async (_, strings) => {
  await allocate(strings)
  const { worker, other } = await take()
  const expected = strings.count * (strings.length + HEADER_BYTES)
  expect(worker).toBeGreaterThan(expected)
  expect(worker).toBeLessThan(expected * 1.03 + MEGABYTE / 5)
  expect(other).toBeLessThan(MEGABYTE / 5)
})

test('a thread that does nothing allocates next to nothing', async () => {
  const { worker } = await take()
  expect(worker).toBeLessThan(MEGABYTE / 5)
})
