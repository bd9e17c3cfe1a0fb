import { expect, test } from 'vitest'
import { scheduleOf } from '../../../packages/console/deliveries/page/schedule.ts'
import type { AttemptStepFragment } from '../../../packages/console/generated/graphql.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString()

function attempt(number: number, seconds: number, status: number | null = 503) {
  return {
    id: `att_${number}`,
    number,
    startedAt: at(seconds),
    succeeded: false,
    status,
  } as AttemptStepFragment
}

test('a long line keeps the newest attempts and the next planned ones, and counts the others', () => {
  const attempts = Array.from({ length: 14 }, (_, i) => attempt(i + 21, i))
  const plannedAttempts = Array.from({ length: 13 }, (_, i) => at(100 + i))
  const { made, planned, hidden, more } = scheduleOf(
    { attemptCount: 34, plannedAttempts },
    attempts,
  )
  expect(made.map(({ number }) => number)).toEqual([25, 26, 27, 28, 29, 30, 31, 32, 33, 34])
  expect(planned[0]?.number).toBe(35)
  expect({ planned: planned.length, hidden, more }).toEqual({ planned: 10, hidden: 24, more: 3 })
})
