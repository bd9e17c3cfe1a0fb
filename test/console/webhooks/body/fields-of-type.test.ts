import { expect, test } from 'vitest'
import { withAllFields } from '../../../../packages/console/webhooks/body/fields-of-type.ts'

const field = (path: string, hasFields = false) => {
  const steps = path.split('.')
  return { path: steps, name: steps.at(-1) ?? '', hasFields }
}

test('every field of an event type is added to a selection, without an object that has no fields here', () => {
  const selectableFields = [
    field('order', true),
    field('order.id'),
    field('payment', true),
    field('payment.bank', true),
    field('payment.bank.name'),
    field('parent', true),
    field('note'),
  ]
  const text = withAllFields('{ ... on B { no } }', [
    { graphqlType: 'OrderPaid', selectableFields },
    { graphqlType: 'B', selectableFields: [field('other')] },
  ])
  expect(text.replaceAll(/\s+/g, ' ')).toBe(
    '{ ... on B { no } ... on OrderPaid { order { id } payment { bank { name } } note } }',
  )
  expect(text).toContain('\n    order {\n      id\n    }\n')
})
