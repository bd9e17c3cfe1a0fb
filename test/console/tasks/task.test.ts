import { expect, test } from 'vitest'
import { partsOf } from '../../../src/console/tasks/task-parts.ts'
import { targetInput } from '../../../src/console/tasks/task-target.ts'

const COUNTS = { total: 10, changed: 8, succeeded: 5, exhausted: 2, canceled: 0, unfinished: 1 }
const namesOf = (parts: ReturnType<typeof partsOf>) => parts.map(({ name, count }) => [name, count])

test('the parts of a bulk action add up to its deliveries', () => {
  expect(namesOf(partsOf({ ...COUNTS, state: 'DELIVERING' }))).toEqual([
    ['delivered', 5],
    ['failed', 2],
    ['waiting', 1],
    ['skipped', 2],
  ])
  expect(namesOf(partsOf({ ...COUNTS, state: 'RUNNING' })).at(-1)).toEqual(['left', 2])
})

test('what a stopped action did not reach is not called skipped', () => {
  const names = partsOf({ ...COUNTS, state: 'CANCELED' }).map(({ name }) => name)
  expect(names).not.toContain('skipped')
})

test('an action asks only for states that it can change', () => {
  const filter = { states: ['QUEUED' as const, 'EXHAUSTED' as const] }
  expect(targetInput('REDELIVER', { filter })).toEqual({ filter: { states: ['EXHAUSTED'] } })
  expect(targetInput('CANCEL', { filter })).toEqual({ filter: { states: ['QUEUED'] } })
  expect(targetInput('CANCEL', { filter: { states: ['SUCCEEDED'] } })).toBeNull()
  expect(targetInput('CANCEL', { ids: ['msg_a'] })).toEqual({ ids: ['msg_a'] })
})

test('without states in the filter, a redelivery is for what failed', () => {
  expect(targetInput('REDELIVER', { filter: {} })).toEqual({
    filter: { states: ['RETRYING', 'EXHAUSTED'] },
  })
})
