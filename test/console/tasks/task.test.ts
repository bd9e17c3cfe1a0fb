import { expect, test } from 'vitest'
import { changeAtOnce, targetInput } from '../../../packages/console/tasks/bulk-action.ts'

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

test('if some of many deliveries cannot be changed, the error says how many were', async () => {
  const ids = Array.from({ length: 250 }, (_, n) => `msg_${n}`)
  const refuses = (first: string) => (input: { readonly ids: readonly string[] }) =>
    Promise.resolve(
      input.ids[0] === first
        ? { ok: false as const, message: 'Posthorn is unreachable.', issues: [] }
        : { ok: true as const, value: { count: input.ids.length, countIsExact: true } },
    )
  expect(await changeAtOnce(refuses('none'), ids)).toMatchObject({
    ok: true,
    value: { count: 250 },
  })
  expect(await changeAtOnce(refuses('msg_200'), ids)).toMatchObject({
    ok: false,
    message: '200 of 250 were changed. Of the others: Posthorn is unreachable.',
  })
  expect(await changeAtOnce(refuses('msg_0'), ids.slice(0, 100))).toMatchObject({
    ok: false,
    message: 'Posthorn is unreachable.',
  })
})
