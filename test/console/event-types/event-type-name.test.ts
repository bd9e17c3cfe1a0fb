import { expect, test } from 'vitest'
import {
  eventTypeNameError,
  isEventTypeName,
} from '../../../packages/console/event-types/form/event-type-name.ts'

test.each(['order', 'order.shipped', 'a-b_c.D9', 'x'.repeat(128)])('%s is a valid name', (name) => {
  expect(isEventTypeName(name)).toBe(true)
  expect(eventTypeNameError(name)).toBeNull()
})

test.each([
  ['order shipped', 'Spaces are not allowed'],
  ['order/shipped', '"/" is not allowed'],
  ['bestellung.fällig', '"ä" is not allowed'],
  ['.shipped', 'needs a word before it'],
  ['order..shipped', 'needs a word before it'],
  ['x'.repeat(129), '129 characters; the maximum is 128'],
])('%s is invalid, with a reason', (name, why) => {
  expect(isEventTypeName(name)).toBe(false)
  expect(eventTypeNameError(name)).toContain(why)
})

test.each(['', 'order.'])(
  '%j is incomplete: no error while typing, but it cannot be submitted',
  (name) => {
    expect(eventTypeNameError(name)).toBeNull()
    expect(isEventTypeName(name)).toBe(false)
  },
)
