import { expect, test } from 'vitest'
import { createTestDatabase } from '../support/database.ts'
import { readStorage } from './storage.ts'
import { trendOf } from './trend.ts'

const MINUTE_MS = 60_000

const everyMinute = (sampleAt: (minute: number) => number, count = 20) =>
  Array.from({ length: count }, (_, minute) => ({
    atMs: minute * MINUTE_MS,
    value: sampleAt(minute),
  }))

test('a value that does not change has equal halves and no slope', () => {
  expect(trendOf(everyMinute(() => 7))).toEqual({ first: 7, second: 7, perHour: 0 })
})

test('a value that grows has its slope per hour, and a larger second half', () => {
  const { first, second, perHour } = trendOf(everyMinute((minute) => 100 + 2 * minute))
  expect(perHour).toBeCloseTo(120)
  expect(second - first).toBe(18)
})

test('the warm-up and single peaks do not count', () => {
  const { first, second } = trendOf(
    everyMinute((minute) => (minute < 2 ? 1 : minute === 15 ? 900 : 50)),
  )
  expect([first, second]).toEqual([50, 50])
})

test('a run that is too short has no trend', () => {
  expect(() => trendOf(everyMinute(() => 1, 4))).toThrow('4 samples are too few')
})

test('the sizes of a database are read', async () => {
  await using database = await createTestDatabase()
  const storage = await readStorage(database.pool)
  for (const [name, value] of Object.entries(storage)) expect(value, name).toBeGreaterThanOrEqual(0)
  expect(storage.walMb).toBeGreaterThan(0)
})
