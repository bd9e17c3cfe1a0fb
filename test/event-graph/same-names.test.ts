import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { compileSelection } from '../../src/event-graph/compile-selection.ts'
import type { SourceType } from '../../src/event-graph/model.ts'
import { selectEvent } from '../../src/event-graph/select-event.ts'
import { newBudget } from '../../src/lib/work-budget.ts'

/** Fields of the same name and of different types, which the list of fields in the console selects together. */

const member = (kind: string, property: string) => ({
  type: 'object',
  required: ['kind'],
  properties: { kind: { const: kind }, [property]: { type: 'string' } },
})

const type = (name: string, status: object): SourceType => ({
  name,
  description: name,
  schema: JSON.stringify({
    type: 'object',
    properties: { status, payment: { oneOf: [member('card', 'last4'), member('bank', 'iban')] } },
  }),
})

const CATALOGUE = [
  type('order.paid', { enum: ['paid', 'open'] }),
  type('order.canceled', { type: 'number' }),
]

const select = (text: string, eventType: string, data: string) => {
  const { plan, issues } = compileSelection(text, CATALOGUE)
  if (plan === null) return issues
  const event = { id: randomUUID(), type: eventType, occurredAt: new Date(), data, previous: null }
  return selectEvent(plan, event, newBudget())
}

test('two event types have a field of the same name with different types', () => {
  const text = '{ ... on OrderPaid { status } ... on OrderCanceled { status } }'
  expect(select(text, 'order.paid', '{"status":"paid"}')).toBe('{"status":"paid"}')
  expect(select(text, 'order.canceled', '{"status":7.0}')).toBe('{"status":7.0}')
})

test('two members of a union have a field of the same name with different values', () => {
  const text = `{ ... on OrderPaid { payment {
    ... on OrderPaid_Payment_Card { kind last4 } ... on OrderPaid_Payment_Bank { kind iban }
  } } }`
  const card = '{"kind":"card","last4":"4242"}'
  expect(select(text, 'order.paid', `{"payment":${card}}`)).toBe(`{"payment":${card}}`)
})

test('two values of one object do not have the same name', () => {
  expect(
    select('{ ... on OrderPaid { x: status ... on Event { x: id } } }', 'order.paid', '{}'),
  ).toEqual([
    {
      message: '"x" is the name of two values, "status" and "id". Give one of them an alias.',
      line: 1,
      column: 47,
    },
  ])
})
