import { expect, test } from 'vitest'
import { partsOf } from '../../../packages/console/tasks/task-parts.ts'
import { targetInput } from '../../../packages/console/tasks/task-target.ts'

test.each([
  ['RUNNING', 'left'],
  ['COMPLETED', 'skipped'],
  ['CANCELED', null],
] as const)(
  'the deliveries that an action in the state %s did not change are called %s',
  (state, name) => {
    const names = partsOf({ total: 10, changed: 8, state }).map(({ name: part }) => part)
    expect(names).toEqual(name === null ? ['changed'] : ['changed', name])
  },
)

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
