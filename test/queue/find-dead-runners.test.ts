import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  createDeadRunnerFinder,
  type FindDeadRunners,
  type LateRunner,
} from '../../src/queue/find-dead-runners.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }))
afterEach(() => void vi.useRealTimers())

const overdue: LateRunner = {
  id: 'a',
  heartbeatAt: '12:00:00',
  isOverdue: true,
  isAbandoned: false,
}

/** Calls the finder once per second. */
function callFor(seconds: number, findDead: FindDeadRunners, late: LateRunner): string[][] {
  return Array.from({ length: seconds }, () => {
    const dead = findDead([late])
    vi.advanceTimersByTime(1_000)
    return dead
  })
}

test('a runner is dead when its heartbeat is overdue and has not changed for 4 s', () => {
  expect(callFor(6, createDeadRunnerFinder(), overdue)).toEqual([[], [], [], [], ['a'], ['a']])
})

test('a runner whose heartbeat is late but not overdue is not dead', () => {
  expect(callFor(20, createDeadRunnerFinder(), { ...overdue, isOverdue: false }).flat()).toEqual([])
})

test('a runner whose heartbeat changes is not dead, even if the heartbeat is overdue', () => {
  const findDead = createDeadRunnerFinder()
  for (let i = 0; i < 20; i++)
    expect(callFor(2, findDead, { ...overdue, heartbeatAt: `12:00:${i}` }).flat()).toEqual([])
})

test('the time in which this process itself was paused does not count', () => {
  const findDead = createDeadRunnerFinder()
  expect(callFor(3, findDead, overdue).flat()).toEqual([])
  vi.advanceTimersByTime(60_000)
  expect(callFor(4, findDead, overdue).flat()).toEqual([])
  expect(findDead([overdue])).toEqual(['a'])
})

test('a runner that was marked as abandoned is dead at once', () => {
  expect(createDeadRunnerFinder()([{ ...overdue, isAbandoned: true }])).toEqual(['a'])
})
