import { expect, test } from 'vitest'
import { targetInput } from '../../../packages/console/tasks/bulk-action.ts'

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
