import { expect, test } from 'vitest'
import { allFields, withLines } from '../../../../packages/console/webhooks/body/all-fields.ts'

const field = (path: string, hasFields = false) => {
  const steps = path.split('.')
  return { path: steps, name: steps.at(-1) ?? '', hasFields }
}

const LINES = allFields('OrderPaid', [
  field('order', true),
  field('order.id'),
  field('payment', true),
  field('payment.bank', true),
  field('payment.bank.name'),
  field('parent', true),
  field('note'),
])

test('every field of an event type is a selection, without an object that has no fields here', () => {
  expect(LINES.join(' ').replaceAll(/ +/g, ' ')).toBe(
    '... on OrderPaid { order { id } payment { bank { name } } note }',
  )
})

test('the fields of another event type are added to a selection', () => {
  const one = withLines('', ['... on A {', '  id', '}'])
  expect(one).toBe('{\n  ... on A {\n    id\n  }\n}')
  expect(withLines(one, ['... on B {', '  no', '}'])).toBe(
    '{\n  ... on A {\n    id\n  }\n  ... on B {\n    no\n  }\n}',
  )
})
