import { readFileSync } from 'node:fs'
import { type GraphQLSchema, printType, validateSchema } from 'graphql'
import { describe, expect, test } from 'vitest'
import { describeEventType } from '../../src/event-graph/describe-event-type.ts'
import { createEventSchema, eventAlone } from '../../src/event-graph/event-schema.ts'
import { printEventGraph } from '../../src/event-graph/print-event-graph.ts'
import { selectableFields } from '../../src/event-graph/selectable-fields.ts'

const DOCUMENT = readFileSync(new URL('../../docs/guides/event-graph.md', import.meta.url), 'utf8')
const ROWS = (DOCUMENT.split('| JSON Schema | GraphQL |\n| --- | --- |\n')[1] ?? '')
  .split('\n\n')[0]
  ?.split('\n')
  .map((line) => [...line.matchAll(/`([^`]*)`/g)].map(([, cell = '']) => cell))

/** The schema of an event type `order.paid` with this JSON Schema. */
async function graphOf(schema: unknown): Promise<GraphQLSchema> {
  const type = { name: 'order.paid', description: 'Paid.', schema: JSON.stringify(schema) }
  const graph = await createEventSchema([type], eventAlone)
  expect(validateSchema(graph)).toEqual([])
  return graph
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
  const data = types.get('OrderPaid_Data') ?? ''
  const type = /value: (\S+)/.exec(data)?.[1]
  return (
    types
      .get(type ?? '')
      ?.replace(type ?? '', '')
      .replaceAll(/ +/g, ' ') ?? type
  )
}

test.each(ROWS ?? [])('%s is %s', async (schema, type) => {
  const found = await typeOf(JSON.parse(schema as string))
  if (type === 'union') expect(found).toMatch(/^union = \S+ \| \S+$/)
  else expect(found).toBe(type)
})

test.each([
  ['a list of types', { type: ['string', 'number'] }],
  ['an object or a string', { type: ['object', 'string'], properties: { a: {} } }],
  [
    'objects that nothing tells apart',
    { oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }] },
  ],
  [
    'objects with the same value',
    { oneOf: ['a', 'b'].map((name) => ({ properties: { kind: { const: 'x' }, [name]: {} } })) },
  ],
  ['two lists of choices', { oneOf: [{ type: 'string' }], anyOf: [{ type: 'number' }, {}] }],
  ['a reference to nothing', { $ref: '#/$defs/none' }],
  ['a reference to another document', { $ref: 'https://example.com/schema' }],
  ['a reference to itself', { $ref: '#/properties/value' }],
  ['values of several types', { enum: ['a', 1] }],
  ['an object that refuses everything', { properties: { a: false } }],
  ['a schema that is no schema', 1],
])('%s is JSON', async (_, schema) => {
  expect(await typeOf(schema)).toBe('JSON')
})

test('a property that no data can have has no field', async () => {
  const types = await definitionsOf({ properties: { a: false, b: { type: 'string' } } })
  expect(types.get('OrderPaid_Data')).toBe('type OrderPaid_Data { b: String }')
})

test('data that is one of several objects has the properties of all, and JSON where they differ', async () => {
  const types = await definitionsOf({
    type: 'object',
    properties: { id: { type: 'string' } },
    oneOf: [
      { properties: { kind: { const: 'card' }, last4: { type: 'string' }, n: { type: 'number' } } },
      { properties: { kind: { const: 'bank' }, iban: { type: 'string' }, n: { type: 'string' } } },
    ],
  })
  expect(types.get('OrderPaid_Data')).toBe(
    'type OrderPaid_Data { data_id: String kind: String last4: String n: JSON iban: String }',
  )
})

test('a schema that refers to itself is a type that has itself', async () => {
  const types = await definitionsOf({
    type: 'object',
    properties: {
      node: { $ref: '#/$defs/node' },
      parent: { oneOf: [{ $ref: '#' }, { type: 'null' }] },
    },
    $defs: {
      node: { type: 'object', properties: { children: { items: { $ref: '#/$defs/node' } } } },
    },
  })
  expect([...types.values()].toSorted()).toEqual([
    expect.stringContaining('type OrderPaid implements Event {'),
    'type OrderPaid_Data { node: OrderPaid_Node parent: OrderPaid_Data }',
    'type OrderPaid_Node { children: [OrderPaid_Node] }',
  ])
})

test('a definition that several properties refer to is one type, named after it', async () => {
  const address = { description: 'Where', $ref: '#/$defs/postal-address' }
  const types = await definitionsOf({
    properties: {
      billing: address,
      shipping: { oneOf: [{ $ref: '#/$defs/postal-address' }, { type: 'null' }] },
      home: { allOf: [{ $ref: '#/$defs/postal-address' }] },
    },
    $defs: { 'postal-address': { type: 'object', properties: { city: { type: 'string' } } } },
  })
  expect(types.get('OrderPaid_Data')).toBe(
    'type OrderPaid_Data { billing: OrderPaid_PostalAddress shipping: OrderPaid_PostalAddress home: OrderPaid_PostalAddress }',
  )
})

test('nested types of the same name get numbers', async () => {
  const nested = (name: string) => ({ type: 'object', properties: { [name]: {} } })
  const types = await definitionsOf({ properties: { 'a-b': nested('x'), aB: nested('y') } })
  expect(types.get('OrderPaid_Data')).toBe(
    'type OrderPaid_Data { a_b: OrderPaid_AB aB: OrderPaid_AB_2 }',
  )
})

describe('names in a schema', () => {
  const schema = {
    'x-graphql-name': 'Payment',
    properties: {
      'o-r': { 'x-graphql-name': 'order', $ref: '#/$defs/o' },
      pay: { oneOf: [{ $ref: '#/$defs/card' }, { $ref: '#/$defs/bank' }] },
    },
    $defs: {
      o: { 'x-graphql-name': 'Purchase', properties: { id: { type: 'string' } } },
      card: { properties: { kind: { const: 'card' } } },
      bank: { 'x-graphql-name': 'Account', properties: { kind: { const: 'bank' } } },
    },
  }

  test('set those of event types, fields and types', async () => {
    const graph = await graphOf(schema)
    const text = (await printEventGraph(graph)).replaceAll(/ *"""(.|\n)*?"""\n/g, '')
    expect(text).toContain('type Payment implements Event {')
    expect(text).toContain('  order: Payment_Purchase\n')
    expect(text).toContain('union Payment_Pay = Payment_Card | Payment_Account')
  })
})

test('descriptions and deprecations of a schema are those of the graph', async () => {
  const graph = await graphOf({
    properties: {
      a: { type: 'string', description: 'An A.', deprecated: true },
      b: { title: 'The B', $ref: '#/$defs/b' },
    },
    $defs: { b: { type: 'object', description: 'All of B', properties: { c: {} } } },
  })
  const text = await printEventGraph(graph)
  expect(text).toContain('"""Paid."""\ntype OrderPaid implements Event {')
  expect(text).toMatch(/"""An A\."""\n {2}a: String @deprecated\(reason: ".*"\)/)
  expect(text).toContain('"""All of B"""\ntype OrderPaid_B {')
})

test('an event type without a schema has its data as JSON', async () => {
  const types = await definitionsOf(null)
  expect([...types.keys()]).toEqual(['OrderPaid'])
  expect(types.get('OrderPaid')).toContain('data: JSON previous: JSON }')
})

test('the fields of an event type are listed with their types and paths', () => {
  const schema = {
    properties: {
      id: { type: 'string' },
      lines: { items: { properties: { 's-k-u': { type: 'string', description: 'The SKU.' } } } },
      pay: {
        oneOf: [
          { properties: { kind: { const: 'card' }, last4: { type: 'string' } } },
          { properties: { kind: { const: 'bank' }, node: { $ref: '#/$defs/node' } } },
        ],
      },
    },
    $defs: { node: { properties: { next: { $ref: '#/$defs/node' } } } },
  }
  const source = { name: 'order.paid', description: '', schema: JSON.stringify(schema) }
  const fields = selectableFields(describeEventType(source, 'OrderPaid'))
  const none = { hasFields: false, onType: null, description: null }
  expect(fields).toEqual([
    { ...none, path: ['data_id'], name: 'data_id', type: 'String', jsonPath: '$.id' },
    {
      ...none,
      path: ['lines'],
      name: 'lines',
      type: '[OrderPaid_Lines]',
      hasFields: true,
      jsonPath: '$.lines[*]',
    },
    {
      ...none,
      path: ['lines', 's_k_u'],
      name: 's_k_u',
      type: 'String',
      description: 'The SKU.',
      jsonPath: "$.lines[*]['s-k-u']",
    },
    {
      ...none,
      path: ['pay'],
      name: 'pay',
      type: 'OrderPaid_Pay',
      hasFields: true,
      jsonPath: '$.pay',
    },
    {
      ...none,
      path: ['pay', 'kind'],
      name: 'kind',
      type: 'OrderPaid_Pay_Card_Kind',
      onType: 'OrderPaid_Pay_Card',
      jsonPath: '$.pay.kind',
    },
    {
      ...none,
      path: ['pay', 'last4'],
      name: 'last4',
      type: 'String',
      onType: 'OrderPaid_Pay_Card',
      jsonPath: '$.pay.last4',
    },
    {
      ...none,
      path: ['pay', 'kind'],
      name: 'kind',
      type: 'OrderPaid_Pay_Bank_Kind',
      onType: 'OrderPaid_Pay_Bank',
      jsonPath: '$.pay.kind',
    },
    {
      ...none,
      path: ['pay', 'node'],
      name: 'node',
      type: 'OrderPaid_Node',
      hasFields: true,
      onType: 'OrderPaid_Pay_Bank',
      jsonPath: '$.pay.node',
    },
    {
      ...none,
      path: ['pay', 'node', 'next'],
      name: 'next',
      type: 'OrderPaid_Node',
      hasFields: true,
      jsonPath: '$.pay.node.next',
    },
  ])
})
