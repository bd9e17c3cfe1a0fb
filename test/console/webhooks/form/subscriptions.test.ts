import { expect, test } from 'vitest'
import {
  includedBy,
  includedTypes,
  isValidPattern,
  possiblePatterns,
} from '../../../../packages/console/webhooks/form/subscriptions.ts'
import { expandSubscriptions } from '../../../../src/event-types/find-event-types.ts'

const CATALOGUE = ['a', 'order.item.added', 'order.paid', 'orders.paid', 'posthorn.webhook.failing']

test.each([
  [['*']],
  [['order.*']],
  [['order.item.*', 'a']],
  [['order.*', '*', 'order.paid']],
  [['archived', 'none.*']],
  [['posthorn.*', 'posthorn.webhook.failing']],
])('%j includes the types that the server says', (subscriptions) => {
  const included = includedTypes(subscriptions, CATALOGUE)
  expect(included.toSorted()).toEqual(expandSubscriptions(subscriptions, CATALOGUE).toSorted())
})

test('patterns include no operational events', () => {
  expect(includedBy(['*', 'posthorn.*'], CATALOGUE)).toEqual(CATALOGUE.slice(0, -1))
})

test('the patterns that a catalogue makes possible are valid', () => {
  const patterns = possiblePatterns(CATALOGUE)
  expect(patterns).toEqual(['*', 'order.*', 'order.item.*', 'orders.*'])
  expect(patterns.every(isValidPattern)).toBe(true)
})

test.each([
  '',
  'order',
  'order*',
  '.*',
  'order..*',
  '*.paid',
  'posthorn.*',
  `${'a'.repeat(127)}.*`,
])('%j is no pattern', (text) => expect(isValidPattern(text)).toBe(false))
