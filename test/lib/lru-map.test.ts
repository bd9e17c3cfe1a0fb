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

test('an entry that nobody uses is dropped, and one in use stays', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const weighed: string[] = []
  const weight = { max: 9, of: (value: string) => weighed.push(value) && 1 }
  const map = new LruMap<string, string>({ maxEntries: 9, weight, maxIdleMs: 60_000 })
  map.set('used', 'used')
  map.set('idle', 'idle')
  weighed.length = 0
  for (let seconds = 0; seconds < 66; seconds += 6) {
    expect(map.get('used')).toBe('used')
    vi.advanceTimersByTime(6_000)
  }
  // The timer dropped it, not the look at it.
  expect(weighed).toEqual(['idle'])
  expect(map.get('idle')).toBeUndefined()
  vi.advanceTimersByTime(66_000)
  expect(weighed).toEqual(['idle', 'used'])
  expect(vi.getTimerCount()).toBe(0)
})
