import { afterEach, expect, test, vi } from 'vitest'
import { LruMap } from '../../src/lib/lru-map.ts'

afterEach(() => void vi.useRealTimers())

test('the least recently used entry makes room, by number and by weight', () => {
  const few = new LruMap<string, number>({ maxEntries: 2 })
  few.set('a', 1)
  few.set('b', 2)
  few.get('a')
  few.set('c', 3)
  expect(['a', 'b', 'c'].map((key) => few.get(key))).toEqual([1, undefined, 3])
  const weight = { max: 10, of: (value: number) => value }
  const light = new LruMap<string, number>({ maxEntries: 9, weight })
  light.set('a', 6)
  light.set('b', 5)
  expect(['a', 'b'].map((key) => light.get(key))).toEqual([undefined, 5])
})

test('all entries are dropped in time, by a timer and not by a look at them', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const map = new LruMap<string, string>({ maxEntries: 9, maxAgeMs: 60_000 })
  map.set('first', 'kept')
  vi.advanceTimersByTime(59_000)
  map.set('last', 'kept')
  expect(map.get('first')).toBeDefined()
  vi.advanceTimersByTime(1_000)
  expect(vi.getTimerCount()).toBe(0)
  expect(['first', 'last'].map((key) => map.get(key))).toEqual([undefined, undefined])
})
