import { createEventSchema } from '../../src/event-graph/event-schema.ts'
import { printEventGraph } from '../../src/event-graph/print-event-graph.ts'
import { streamRoots } from '../../src/event-stream/graph/root-types.ts'
import { seededTypes } from '../../src/migrate/seed.ts'
import { code, fenced, page, table } from './markdown.ts'

/** A schema with the usual parts: required fields, an enum, a list, an object that another type has, too. */
const ORDER = {
  type: 'object',
  required: ['id', 'total'],
  properties: {
    id: { type: 'string' },
    status: { enum: ['paid', 'refunded'] },
    total: { type: 'number', description: 'In the currency of the shop.' },
    lines: {
      type: 'array',
      items: {
        type: 'object',
        properties: { sku: { type: 'string' }, quantity: { type: 'integer' } },
      },
    },
  },
}

/** The catalogue of the page: that of a fresh installation, and an event type with a schema. */
export function exampleCatalogue() {
  return [
    ...seededTypes().map(({ name, description, schema }) => ({
      name,
      description,
      schema: JSON.stringify(schema),
    })),
    { name: 'order.paid', description: 'An order was paid.', schema: JSON.stringify(ORDER) },
  ]
}

export async function eventGraphPage(): Promise<string> {
  const types = exampleCatalogue()
  const schema = await createEventSchema(types, streamRoots, { isStream: true })
  return page(
    '# Event graph',
    'The GraphQL schema of `/graphql/events`, and of the selections of webhooks. Posthorn makes it from the catalogue of event types, each time that the catalogue changes: one object type for each event type, with a field for each property of its JSON Schema. [The guide](../guides/event-graph.md) has all rules, with names that GraphQL cannot spell and schemas that differ.',
    table(
      ['of', 'made from'],
      [
        [code('interface Event'), 'the envelope of every event'],
        ['one object type for each event type', 'its name, such as `OrderPaid` from `order.paid`'],
        ['the fields of that type', 'the properties of its JSON Schema; all of them can be null'],
        ['the root types', 'following, pulling and acknowledging events'],
      ],
    ),
    'A server has its own graph at `/schema-events.graphql`, and `posthorn event-type graph` prints the same. Below is the graph of this catalogue: the event types of a fresh installation, and one with this schema:',
    fenced(JSON.stringify(ORDER, null, 2), 'json'),
    '## Schema',
    fenced(await printEventGraph(schema), 'graphql'),
  )
}
