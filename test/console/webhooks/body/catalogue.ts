import { call } from '../../support/call.ts'
import type { ConsoleServer } from '../../support/console-server.ts'

/** An order with an object, a list, a union and any JSON. */
export const orderOf = (id: string) => ({
  order: { id, total: 12.5, items: [{ sku: 'book', count: 2 }] },
  customer: { name: 'Ada', email: 'ada@example.com' },
  payment: { kind: 'card', last4: '4242' },
  extra: { any: ['thing'] },
})

const string = { type: 'string' }
const number = { type: 'number' }
const object = (properties: object, rest = {}) => ({ type: 'object', properties, ...rest })

const schema = object({
  order: object(
    {
      id: { ...string, description: 'The number on the invoice.' },
      total: number,
      items: { type: 'array', items: object({ sku: string, count: number }) },
    },
    { description: 'What was bought.' },
  ),
  customer: object({ name: string, email: string }),
  payment: {
    oneOf: [
      object({ kind: { const: 'card' }, last4: string }, { required: ['kind'], title: 'Card' }),
      object({ kind: { const: 'transfer' }, iban: string }, { required: ['kind'] }),
    ],
  },
  extra: {},
})

/** Creates `order.paid` and `order.canceled`, unless another file has done so on the same server. */
export async function createCatalogue(server: ConsoleServer): Promise<void> {
  const { node } = await server.graphql<{ node: object | null }>(
    '{ node(id: "type_order.paid") { id } }',
  )
  if (node) return
  for (const name of ['order.paid', 'order.canceled']) {
    const input = { name, description: name, schema, example: orderOf('E-1') }
    await call(server, 'createEventType', { input: ['CreateEventTypeInput!', input] })
  }
}
