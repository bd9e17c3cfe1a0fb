import { readFileSync } from 'node:fs'
import { type GraphQLSchema, printType, validateSchema } from 'graphql'
import { expect, test } from 'vitest'
import { EventGraph, SELECTION_ROOTS } from '../../../src/bodies/event-graph/event-schema.ts'

const DOCUMENT = readFileSync(new URL('../cases.md', import.meta.url), 'utf8')
const ROWS = (DOCUMENT.split('| JSON Schema | GraphQL |\n| --- | --- |\n')[1] ?? '')
  .split('\n\n')[0]
  ?.split('\n')
  .map((line) => [...line.matchAll(/`([^`]*)`/g)].map(([, cell = '']) => cell))

/** The schema of an event type `order.paid` with this JSON Schema. */
async function graphOf(schema: unknown): Promise<GraphQLSchema> {
  const graph = await eventGraphOf(schema).schemaFor('{ __schema { __typename } }')
  expect(validateSchema(graph)).toEqual([])
  return graph
}

function eventGraphOf(schema: unknown): EventGraph {
  const type = { name: 'order.paid', description: 'Paid.', schema: JSON.stringify(schema) }
  return new EventGraph([type], SELECTION_ROOTS, Number.POSITIVE_INFINITY)
}

/** The definitions without descriptions, on one line. */
async function definitionsOf(schema: unknown): Promise<Map<string, string>> {
  const graph = await graphOf(schema)
  const types = Object.values(graph.getTypeMap()).filter(({ name }) => name.startsWith('OrderPaid'))
  return new Map(
    types.map((type) => [
      type.name,
      printType(type)
        .replaceAll(/"""(.|\n)*?"""/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ]),
  )
}

/** The type of the field `value` of data with a JSON Schema for it. */
async function typeOf(schema: unknown): Promise<string | undefined> {
  const types = await definitionsOf({ type: 'object', properties: { value: schema } })
  const [, type = ''] = /value: (\S+)/.exec(types.get('OrderPaid_Data') ?? '') ?? []
  return types.get(type)?.replace(` ${type}`, '') ?? type
}

test('choices that only narrow an object leave it the type', async () => {
  const narrowed = { properties: { a: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] }
  expect(await typeOf(narrowed)).toBe('type { a: JSON }')
})

test.each(ROWS ?? [])('%s is %s', async (schema, type) => {
  expect(await typeOf(JSON.parse(schema as string))).toBe(type)
})

test.each([
  ['a list of types', { type: ['string', 'number'] }],
  ['an object or a string', { type: ['object', 'string'], properties: { a: {} } }],
  ['a reference to nothing', { $ref: '#/$defs/none' }],
  ['a reference to itself', { $ref: '#/properties/value' }],
  ['values of several types', { enum: ['a', 1] }],
  ['a schema that is no schema', 1],
])('%s is JSON', async (_, schema) => {
  expect(await typeOf(schema)).toBe('JSON')
})

test('a schema that refers to itself is a type that has itself', async () => {
  const node = { $ref: '#/$defs/node' }
  const types = await definitionsOf({
    type: 'object',
    properties: { node, parent: { oneOf: [{ $ref: '#' }, { type: 'null' }] } },
    $defs: { node: { type: 'object', properties: { children: { items: node } } } },
  })
  expect([...types.values()].toSorted()).toEqual([
    expect.stringContaining('type OrderPaid implements Event {'),
    'type OrderPaid_Data { node: OrderPaid_Node parent: OrderPaid_Data }',
    'type OrderPaid_Node { children: [OrderPaid_Node] }',
  ])
})

test('a definition that several properties refer to is one type, named after it', async () => {
  const address = { $ref: '#/$defs/postal-address' }
  const billing = { description: 'Where', ...address }
  const shipping = { oneOf: [address, { type: 'null' }] }
  const types = await definitionsOf({
    properties: { billing, shipping, home: { allOf: [address] } },
    $defs: { 'postal-address': { type: 'object', properties: { city: { type: 'string' } } } },
  })
  expect(types.get('OrderPaid_Data')).toBe(
    'type OrderPaid_Data { billing: OrderPaid_PostalAddress shipping: OrderPaid_PostalAddress home: OrderPaid_PostalAddress }',
  )
})

test('descriptions and deprecations of a schema are those of the graph', async () => {
  const graph = eventGraphOf({
    properties: {
      a: { type: 'string', description: 'An A.', deprecated: true },
      b: { title: 'The B', $ref: '#/$defs/b' },
    },
    $defs: { b: { type: 'object', description: 'All of B', properties: { c: {} } } },
  })
  const text = String(await graph.print())
  expect(text).toContain('"""Paid."""\ntype OrderPaid implements Event {')
  expect(text).toMatch(/"""An A\."""\n {2}a: String @deprecated\(reason: ".*"\)/)
  expect(text).toContain('"""All of B"""\ntype OrderPaid_B {')
})

test('an event type without a schema has its data as JSON', async () => {
  const types = await definitionsOf(null)
  expect([...types.keys()]).toEqual(['OrderPaid'])
  expect(types.get('OrderPaid')).toContain('data: JSON previous: JSON }')
})

const range = (length: number) => [...Array(length).keys()]
const objectOf = (length: number, name: string, of: (i: number) => unknown) => ({
  properties: Object.fromEntries(range(length).map((i) => [`${name}${i}`, of(i)])),
})

test.each<[string, unknown]>([
  ['10,000 properties', objectOf(10_000, 'p-', () => ({}))],
  [
    'objects with more fields than a type can have',
    objectOf(300, 'o', () => objectOf(30, 'p', () => ({}))),
  ],
  ['more objects than there can be types', objectOf(900, 'o', () => objectOf(1, 'p', () => ({})))],
  [
    'as many levels as JSON may have',
    range(99).reduce<object>((inner) => ({ properties: { a: inner } }), { type: 'string' }),
  ],
  [
    'a cycle through choices',
    {
      properties: { a: { $ref: '#/$defs/a' } },
      $defs: { a: { properties: { x: { oneOf: [{ $ref: '#/$defs/a' }, { type: 'null' }] } } } },
    },
  ],
  [
    'schemas whose combinations are endless',
    {
      allOf: range(12).map((i) => ({ $ref: `#/$defs/s${i}` })),
      $defs: objectOf(12, 's', (i) =>
        objectOf(12, 'p', (j) => ({ $ref: `#/$defs/s${(i * 7 + j * 5) % 12}` })),
      ).properties,
    },
  ],
  [
    'many choices of many choices',
    objectOf(1, 'a', () => ({
      oneOf: range(40).map((i) => ({
        oneOf: range(40).map((j) => objectOf(1, `x${i}_${j}`, Object)),
      })),
    })),
  ],
  [
    'words of JavaScript',
    { properties: { constructor: { properties: { toString: {} } }, ['__proto__']: {} } },
  ],
  [
    'things that are no schemas',
    { properties: { a: [], b: 1, c: null, d: { oneOf: 5, allOf: {}, items: 3, enum: 'x' } } },
  ],
])('a schema with %s has a valid graph', async (_, schema) => {
  expect(Object.keys((await graphOf(schema)).getTypeMap()).length).toBeLessThan(350)
})
