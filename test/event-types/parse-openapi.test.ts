import { expect, test } from 'vitest'
import {
  parseCatalogueFile,
  parseSchemaFile,
} from '../../src/event-types/catalogue/parse-catalogue.ts'
import { checkSchema } from '../../src/lib/json-schema.ts'

const read = (document: object | string) => {
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  return parseCatalogueFile(Buffer.from(text), 'openapi.json')
}
const parse = (document: object | string) => read(document).types
const refusals = (document: object) => read(document).refused.map(({ problem }) => problem)

const body = (schema: unknown, more: object = {}) => ({
  post: {
    summary: 'An order was paid.',
    requestBody: { content: { 'application/json': { schema, ...more } } },
  },
})
const withWebhook = (item: object, more: object = {}) => ({
  openapi: '3.1.0',
  webhooks: { 'order.paid': item },
  ...more,
})

test('the description is the first text of the operation, the webhook and the schema, or else the name', () => {
  const { post } = body({ title: 'Paid' })
  const described = (item: object) => parse(withWebhook(item))[0]?.others['description']
  expect(described({ post: { ...post, description: 'Long.' } })).toBe('Long.')
  expect(described({ post: { ...post, description: ' ' } })).toBe('An order was paid.')
  expect(described({ post: { ...post, summary: 1 }, summary: 'Of the webhook.' })).toBe(
    'Of the webhook.',
  )
  expect(described({ post: { ...post, summary: '' } })).toBe('Paid')
  expect(described({ post: { ...body({}).post, summary: '' } })).toBe('order.paid')
})

test('the schema of the request is that of the data, with what it refers to, and all digits', () => {
  const [type] = parse(`{
    "openapi": "3.1.1",
    "webhooks": {
      "order.paid": {
        "post": {
          "description": "An order was paid.",
          "tags": ["Orders"],
          "x-search-keys": ["$.id"],
          "requestBody": {"content": {"application/json": {
            "schema": {"type": "object", "properties": {"2": {"multipleOf": 0.10}, "1": {"$ref": "#/components/schemas/Node"}}},
            "example": {"2": 1.50}
          }}}
        }
      }
    },
    "components": {"schemas": {
      "Node": {"properties": {"next": {"$ref" : "#/components/schemas/Node"}, "name": {"$ref": "#/components/schemas/Name/anyOf/0"}}},
      "Name": {"anyOf": [{"type": "string"}]},
      "Unused": {}
    }}
  }`)
  expect(type).toEqual({
    place: 'openapi.json: webhooks.order.paid',
    name: 'order.paid',
    others: { description: 'An order was paid.', group: 'Orders', searchKeys: ['$.id'] },
    schema:
      '{"type":"object","properties":{"1":{"$ref":"#/$defs/Node"},"2":{"multipleOf":0.10}},' +
      '"$defs":{"Node":{"properties":{"next":{"$ref":"#/$defs/Node"},"name":{"$ref":"#/$defs/Name/anyOf/0"}}},' +
      '"Name":{"anyOf":[{"type":"string"}]}}}',
    example: '{"2":1.50}',
  })
})

test('where the request is an envelope, only its data counts', () => {
  const order = { type: 'object', title: 'Order', examples: [{ total: 1 }] }
  const components = {
    schemas: {
      Order: order,
      Envelope: { type: 'object', properties: { id: { type: 'string' } } },
    },
    requestBodies: {
      Paid: body({
        allOf: [
          { $ref: '#/components/schemas/Envelope' },
          { properties: { data: { $ref: '#/components/schemas/Order' } } },
        ],
      }).post.requestBody,
    },
    pathItems: {
      Paid: {
        post: { summary: 'Paid.', requestBody: { $ref: '#/components/requestBodies/Paid' } },
      },
    },
  }
  const [type] = parse(withWebhook({ $ref: '#/components/pathItems/Paid' }, { components }))
  expect(type).toMatchObject({
    others: { description: 'Paid.' },
    schema: JSON.stringify(order),
    example: '{"total":1}',
  })
  const example = { id: 'evt_1', data: { total: 2 } }
  const examples = { one: { value: example } }
  const schema = { properties: { data: order } }
  for (const more of [{ example }, { examples }]) {
    expect(parse(withWebhook(body(schema, more)))[0]?.example).toBe('{"total":2}')
  }
})

const to = (name: string | number) => ({ $ref: `#/components/schemas/${name}` })

/** An event type whose schema refers to the first of so many components, of which each refers to the next. */
function chainOf(length: number, link: (next: object) => object) {
  const schemas = Object.fromEntries(
    Array.from({ length }, (_, i) => [i, i + 1 < length ? link(to(i + 1)) : {}]),
  )
  return withWebhook(body(link(to(0))), { components: { schemas } })
}

test('an allOf of many parts at many levels is read at once', () => {
  const document = chainOf(9, (next) => ({ allOf: Array(10).fill(next) }))
  expect(parse(document)).toHaveLength(1)
})

test.each<[string, object, RegExp]>([
  ['OpenAPI 3.0', { openapi: '3.0.1', webhooks: {} }, /Convert it to OpenAPI 3\.1/],
  ['no webhooks', { openapi: '3.1.0', paths: {} }, /has no "webhooks"/],
  ['AsyncAPI', { asyncapi: '3.1.0', channels: {} }, /is neither.* nor an OpenAPI document/],
])('%s is an error about the document', (_case, document, error) => {
  expect(() => parse(document)).toThrow(error)
})

test.each<[string, ReturnType<typeof withWebhook>, RegExp]>([
  [
    'a reference to another document',
    withWebhook(body({ properties: { a: { $ref: 'order.json' } } })),
    /refers to "order\.json" at \/properties\/a/,
  ],
  [
    'a missing reference',
    withWebhook(body(to('Missing'))),
    /refers to "#\/components\/schemas\/Missing"/,
  ],
  ['a long chain', chainOf(20_000, (next) => next), /at most 512 KiB/],
])('%s is a problem of one schema, and others are read', async (_case, document, problem) => {
  const others = { ...document, webhooks: { ...document.webhooks, other: body({}) } }
  const [type, other] = parse(others)
  expect((await checkSchema(JSON.parse(type?.schema ?? ''))).problem).toMatch(problem)
  expect(other).toMatchObject({ name: 'other', schema: '{}' })
})

test('a discriminator moves with its references and what they name, and data stays', () => {
  const petOf = (at: string, dog: string) => ({
    oneOf: [{ $ref: `${at}Dog` }],
    discriminator: {
      propertyName: 'kind',
      mapping: { cat: `${at}Cat`, dog, other: 'https://example.com/x' },
    },
    const: { owner: { $ref: 'users' } },
  })
  const catOf = (at: string) => ({ allOf: [{ $ref: `${at}Dog` }, { $ref: `${at}Tail` }] })
  const [from, here] = ['#/components/schemas/', '#/$defs/']
  const others = { Dog: { type: 'object' }, Tail: {} }
  const components = { schemas: { ...others, Cat: catOf(from) } }
  const document = withWebhook(body(petOf(from, 'Dog')), { components })
  const $defs = { ...others, Cat: catOf(here) }
  const expected = { ...petOf(here, `${here}Dog`), $defs }
  expect(JSON.parse(parse(document)[0]?.schema ?? '')).toEqual(expected)
})

test('references that lead to themselves come to an end', () => {
  const components = { schemas: { A: to('B'), B: to('A') } }
  expect(parse(withWebhook(body(to('A')), { components }))).toHaveLength(1)
  const pathItems = { Loop: { $ref: '#/components/pathItems/Loop' } }
  const loop = withWebhook({ $ref: '#/components/pathItems/Loop' }, { components: { pathItems } })
  expect(refusals(loop)).toEqual([expect.stringContaining('has no schema')])
})

test('a JSON Schema in a file of its own', () => {
  const text =
    '\ufeff{ "title": "An order was paid.", "x-group": "Orders", "x-search-keys": ["$.total"], "examples": [{"total": 1.50}] }\n'
  expect(parseSchemaFile(Buffer.from(text), 'order.paid.json')).toEqual({
    place: 'order.paid.json',
    name: 'order.paid',
    others: { description: 'An order was paid.', group: 'Orders', searchKeys: ['$.total'] },
    schema: text.slice(1).trim(),
    example: '{"total":1.50}',
  })
  expect(() => parseSchemaFile(Buffer.from('[]'), 'a.json')).toThrow(
    /a\.json must be a JSON Schema/,
  )
  expect(() => parseSchemaFile(Buffer.from([0xff]), 'a.json')).toThrow(/a\.json is not UTF-8/)
})
