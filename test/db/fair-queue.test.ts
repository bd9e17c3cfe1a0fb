import { expect, test } from 'vitest'
import { FairQueue } from '../../src/db/fair-queue.ts'

function record(limit: number) {
  const queue = new FairQueue(limit)
  const granted: (string | null)[] = []
  return {
    queue,
    granted,
    acquire: (owner: string | null) => queue.acquire(owner, () => void granted.push(owner)),
  }
}

test('an owner gets half of the permits, another one half of the rest, and there is one left for the next', () => {
  const { acquire, granted } = record(16)
  for (const owner of ['a', 'b', 'c']) for (let i = 0; i < 20; i++) acquire(owner)
  const count = (owner: string) => granted.filter((each) => each === owner).length
  expect(['a', 'b', 'c'].map(count)).toEqual([8, 4, 2])
  acquire('d')
  expect(granted.at(-1)).toBe('d')
})

test('waiting owners take turns', () => {
  const { acquire, granted, queue } = record(2)
  acquire('a')
  acquire('b')
  for (let i = 0; i < 3; i++) acquire('a')
  acquire('c')
  acquire('d')
  queue.release('b')
  queue.release('c')
  queue.release('d')
  expect(granted).toEqual(['a', 'b', 'c', 'd'])
  queue.release('a')
  expect(granted.slice(4)).toEqual(['a'])
})

test('one permit is enough for an owner and for nobody', () => {
  const { acquire, granted, queue } = record(1)
  acquire('a')
  acquire(null)
  queue.release('a')
  queue.release(null)
  acquire('a')
  expect(granted).toEqual(['a', null, 'a'])
})

test('statements of nobody have no limit of their own', () => {
  const { acquire, granted } = record(4)
  for (let i = 0; i < 6; i++) acquire(null)
  expect(granted).toHaveLength(4)
})

test('a canceled wait gets no permit, and only a wait can be canceled', () => {
  const { acquire, granted, queue } = record(1)
  expect(acquire('a')).toBe(null)
  const cancel = acquire('b')
  expect(cancel?.()).toBe(true)
  const cancelLater = acquire('c')
  queue.release('a')
  expect(cancelLater?.()).toBe(false)
  expect(granted).toEqual(['a', 'c'])
})
