import { expect, test } from 'vitest'
import { plannedAttempts } from '../../src/deliveries/planned-attempts.ts'

const nextAttemptAt = new Date('2026-01-01T00:00:00Z')
const inSeconds = (seconds: number) => new Date(nextAttemptAt.getTime() + seconds * 1_000)
const SCHEDULE_MS = [5_000, 60_000, 3_600_000]

test.each([
  ['before the first attempt', 0, [0, 5, 65, 3_665]],
  ['after a failed attempt', 1, [0, 60, 3_660]],
  ['before the last retry', 3, [0]],
])(
  'the planned attempts %s are the next one and the rest of the schedule',
  (_when, position, seconds) => {
    expect(plannedAttempts({ nextAttemptAt, schedulePosition: position }, SCHEDULE_MS)).toEqual(
      seconds.map(inSeconds),
    )
  },
)

test('a delivery without a next attempt has no planned attempts', () => {
  expect(plannedAttempts({ nextAttemptAt: null, schedulePosition: 1 }, SCHEDULE_MS)).toEqual([])
})
