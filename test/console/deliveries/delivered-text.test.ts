import { expect, test } from 'vitest'
import {
  deliveredText,
  failedOf,
  othersOf,
} from '../../../src/console/deliveries/event/delivered-text.ts'

const NONE = {
  total: 38,
  succeeded: 38,
  exhausted: 0,
  canceled: 0,
  retrying: 0,
  waiting: 0,
  onHold: 0,
}

test('an event that arrived everywhere has nothing else to say', () => {
  expect(deliveredText(NONE)).toBe('38 of 38 delivered')
  expect(othersOf(NONE)).toBe('')
  expect(failedOf(NONE)).toBe(0)
})

test('each delivery that did not arrive is counted once, what waits by its hold', () => {
  const counts = { ...NONE, succeeded: 17, exhausted: 2, retrying: 1, waiting: 15, onHold: 14 }
  expect(deliveredText(counts)).toBe('17 of 38 delivered')
  expect(othersOf({ ...counts, canceled: 1 })).toBe(
    '2 exhausted, 1 retrying, 14 on hold, 1 waiting, 2 queued, 1 canceled',
  )
  expect(failedOf(counts)).toBe(3)
})

test('the number is a lower bound where the server stopped counting', () => {
  expect(deliveredText({ ...NONE, total: 1_000, succeeded: 900 })).toBe('900 of 1,000+ delivered')
})
