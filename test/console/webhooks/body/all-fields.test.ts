import { expect, test } from 'vitest'
import { allFields, withLines } from '../../../../src/console/webhooks/body/all-fields.ts'

const field = (path: string, onType: string | null = null, hasFields = false) => {
  const steps = path.split('.')
  return { path: steps, name: steps.at(-1) ?? '', hasFields, onType }
}

const LINES = allFields('OrderPaid', [
  field('order', null, true),
  field('order.id'),
  field('payment', null, true),
  field('payment.last4', 'Card'),
  field('payment.bank', 'Transfer', true),
  field('payment.bank.name'),
  field('parent', null, true),
  field('note'),
])

test('every field of an event type is a selection, without an object that has no fields here', () => {
  expect(LINES.join(' ').replaceAll(/ +/g, ' ')).toBe(
    '... on OrderPaid { order { id } payment { __typename ... on Card { last4 } ... on Transfer { bank { name } } } note }',
  )
})

test('the fields of another event type are added to a selection', () => {
  const one = withLines('', ['... on A {', '  id', '}'])
  expect(one).toBe('{\n  ... on A {\n    id\n  }\n}')
  expect(withLines(one, ['... on B {', '  no', '}'])).toBe(
    '{\n  ... on A {\n    id\n  }\n  ... on B {\n    no\n  }\n}',
  )
})
