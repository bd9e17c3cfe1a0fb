import { call } from '../../support/call.ts'
import type { ConsoleServer } from '../../support/console-server.ts'

/** An order with two objects. */
export const orderOf = (id: string) => ({
  order: { id, total: 12.5 },
  customer: { name: 'Ada', email: 'ada@example.com' },
})

const string = { type: 'string' }
const object = (properties: object) => ({ type: 'object', properties })

const schema = object({
  order: object({ id: string, total: { type: 'number' } }),
  customer: object({ name: string, email: string }),
})

/** Creates `order.paid` and `order.canceled`, unless another file has done so on the same server. */
export async function createCatalogue(server: ConsoleServer): Promise<void> {
  const { node } = await server.graphql('{ node(id: "type_order.paid") { id } }')
  if (node) return
  for (const name of ['order.paid', 'order.canceled']) {
    const input = { name, description: name, schema, example: orderOf('E-1') }
    await call(server, 'createEventType', { input })
  }
}
