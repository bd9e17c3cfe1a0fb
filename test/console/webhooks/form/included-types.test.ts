import { expect, test } from 'vitest'
import {
  includedTypes,
  possiblePatterns,
} from '../../../../packages/console/webhooks/form/included-types.ts'
import { expandSubscriptions } from '../../../../src/event-types/find-event-types.ts'

const CATALOGUE = ['a', 'order.item.added', 'order.paid', 'orders.paid', 'posthorn.webhook.failing']

test.each([
  [['*']],
  [['order.*']],
  [['order.item.*', 'a']],
  [['order.*', '*', 'order.paid']],
  [['none.*']],
  [['posthorn.*', 'posthorn.webhook.failing']],
])('%j includes the types that the server says', (subscriptions) => {
  const included = includedTypes(subscriptions, CATALOGUE)
  expect(included.toSorted()).toEqual(expandSubscriptions(subscriptions, CATALOGUE).toSorted())
})

test('the patterns that a catalogue makes possible include no operational events', () => {
  expect(possiblePatterns(CATALOGUE)).toEqual(['*', 'order.*', 'order.item.*', 'orders.*'])
})
