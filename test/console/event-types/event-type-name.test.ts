import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  eventTypeNameProblem,
  isEventTypeName,
} from '../../../src/console/event-types/event-type-name.ts'

test.each(['order', 'order.shipped', 'a-b_c.D9', 'x'.repeat(128)])('%s is a name', (name) => {
  expect(isEventTypeName(name)).toBe(true)
  expect(eventTypeNameProblem(name)).toBeNull()
})

test.each([
  ['order shipped', 'No spaces'],
  ['order/shipped', '"/" cannot be part'],
  ['bestellung.fällig', '"ä" cannot be part'],
  ['.shipped', 'a word before each dot'],
  ['order..shipped', 'a word before each dot'],
  ['x'.repeat(129), '129 characters; at most 128'],
])('%s is none, and it says why', (name, why) => {
  expect(isEventTypeName(name)).toBe(false)
  expect(eventTypeNameProblem(name)).toContain(why)
})

test.each(['', 'order.'])(
  'while %j is typed nothing is wrong yet, but it cannot be sent',
  (name) => {
    expect(eventTypeNameProblem(name)).toBeNull()
    expect(isEventTypeName(name)).toBe(false)
  },
)

test('what can be sent is never called wrong', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '_', '-', '.', ' ', 'ä') })
  fc.assert(
    fc.property(text, (name) => {
      if (isEventTypeName(name)) expect(eventTypeNameProblem(name)).toBeNull()
      else if (name !== '' && !name.endsWith('.')) expect(eventTypeNameProblem(name)).not.toBeNull()
    }),
  )
})
