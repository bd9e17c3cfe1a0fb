import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFindDead, type FindDead, type LateRunner } from '../../src/queue/find-dead.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }))
afterEach(() => void vi.useRealTimers())

const overdue: LateRunner = {
  id: 'a',
  heartbeatAt: '12:00:00',
  isOverdue: true,
  isAbandoned: false,
}

/** Looks each second, as long as there is one. */
function lookFor(seconds: number, findDead: FindDead, late: LateRunner): string[][] {
  return Array.from({ length: seconds }, () => {
    const dead = findDead([late])
    vi.advanceTimersByTime(1_000)
    return dead
  })
}

test('a runner whose heartbeat is overdue is dead once it was unchanged for 4 s', () => {
  expect(lookFor(6, createFindDead(), overdue)).toEqual([[], [], [], [], ['a'], ['a']])
})

test('a runner that is late but not yet overdue is not', () => {
  expect(lookFor(20, createFindDead(), { ...overdue, isOverdue: false }).flat()).toEqual([])
})

test('a runner whose heartbeat moved is not, however late it is', () => {
  const findDead = createFindDead()
  for (let i = 0; i < 20; i++)
    expect(lookFor(2, findDead, { ...overdue, heartbeatAt: `12:00:${i}` }).flat()).toEqual([])
})

test('while this process itself stood still, nothing was seen', () => {
  const findDead = createFindDead()
  expect(lookFor(3, findDead, overdue).flat()).toEqual([])
  vi.advanceTimersByTime(60_000)
  expect(lookFor(4, findDead, overdue).flat()).toEqual([])
  expect(findDead([overdue])).toEqual(['a'])
})

test('a runner that its own process gave up is dead at once', () => {
  expect(createFindDead()([{ ...overdue, isAbandoned: true }])).toEqual(['a'])
})
