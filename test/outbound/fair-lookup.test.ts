import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFairLookup } from '../../src/outbound/fair-lookup.ts'
import { LOOPBACK } from './sending.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

/** A resolver that takes as long as the name says, and counts how many lookups run. */
function openResolver() {
  const running = new Set<string>()
  const asked: string[] = []
  const lookup = createFairLookup(async (hostname) => {
    asked.push(hostname)
    running.add(hostname)
    await new Promise((resolve) => setTimeout(resolve, Number.parseInt(hostname, 10)))
    running.delete(hostname)
    return [LOOPBACK]
  })
  return { lookup, running, asked }
}

test('a name that many ask for at once is looked up once, and again when asked later', async () => {
  const { lookup, asked } = openResolver()
  const lookups = Promise.all([lookup('5ms.test'), lookup('5ms.test'), lookup('5ms.test')])
  await vi.advanceTimersByTimeAsync(5)
  expect(await lookups).toEqual([[LOOPBACK], [LOOPBACK], [LOOPBACK]])
  expect(asked).toHaveLength(1)
  const again = lookup('5ms.test')
  await vi.advanceTimersByTimeAsync(5)
  expect(await again).toEqual([LOOPBACK])
  expect(asked).toHaveLength(2)
})

test('a failure reaches everyone who asked', async () => {
  const lookup = createFairLookup(() => Promise.reject(new Error('no such name')))
  const both = await Promise.allSettled([lookup('a.test'), lookup('a.test')])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

test('names that do not resolve leave threads to those that do', async () => {
  const { lookup, running } = openResolver()
  const known = lookup('5ms.test')
  await vi.advanceTimersByTimeAsync(5)
  await known

  const dead = Array.from({ length: 20 }, (_, i) => lookup(`60000ms-${i}.test`).catch(() => null))
  expect(running.size).toBe(2)
  const again = lookup('5ms.test')
  await vi.advanceTimersByTimeAsync(5)
  expect(await again).toEqual([LOOPBACK])

  await vi.advanceTimersByTimeAsync(60_000)
  await Promise.all(dead.slice(0, 2))
  expect(running.size).toBe(0)
})

test('names that were slow do not delay names not seen before', async () => {
  const { lookup, running } = openResolver()
  const first = [lookup('2000ms-a.test'), lookup('2000ms-b.test')]
  await vi.advanceTimersByTimeAsync(2_000)
  await Promise.all(first)

  const again = [lookup('2000ms-a.test'), lookup('2000ms-b.test')]
  const unseen = lookup('5ms.test')
  expect([...running]).toEqual(['2000ms-a.test', '5ms.test'])
  await vi.advanceTimersByTimeAsync(4_000)
  expect(await unseen).toEqual([LOOPBACK])
  await Promise.all(again)
})

test('a lookup that nobody waits for any more is not made', async () => {
  const { lookup, asked } = openResolver()
  const outcomes = Promise.allSettled([
    lookup('6000ms-a.test'),
    lookup('6000ms-b.test'),
    lookup('5ms-c.test'),
    lookup('5ms-d.test'),
  ])
  await vi.advanceTimersByTimeAsync(6_000)
  expect((await outcomes).map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
  ])
  expect(asked).toEqual(['6000ms-a.test', '6000ms-b.test'])
})
