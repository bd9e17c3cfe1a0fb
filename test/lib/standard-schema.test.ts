import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { standardSchema } from '../../src/lib/standard-schema.ts'

const AT = ['properties', 'order.paid']

/** Whether data is valid against the schema as a part of a document, by the rules of the document. */
function accepts(schema: object, data: unknown, at: readonly string[] = AT): boolean {
  const embedded = standardSchema(schema as Record<string, unknown>, at)
  const document = at.reduceRight<unknown>((value, name) => ({ [name]: value }), embedded)
  const ajv = new Ajv2020({ strict: false, logger: false })
  ajv.addSchema({ $id: 'document', ...(document as object) })
  const pointer = at.map((name) => encodeURIComponent(name.replaceAll('/', '~1'))).join('/')
  return ajv.validate(`document#/${pointer}`, data)
}

const TEXT = { type: 'string' }

test.each<[what: string, schema: object, valid: unknown, invalid: unknown]>([
  ['a definition', { $ref: '#/$defs/a', $defs: { a: TEXT } }, 'x', 1],
  [
    'itself',
    { type: 'object', properties: { child: { $ref: '#' }, name: TEXT } },
    { child: { child: { name: 'x' } } },
    { child: { child: { name: 1 } } },
  ],
  ['an anchor', { $ref: '#a', $defs: { x: { $anchor: 'a', ...TEXT } } }, 'x', 1],
  [
    'a dynamic anchor',
    {
      $dynamicAnchor: 'node',
      type: 'object',
      properties: { children: { items: { $dynamicRef: '#node' } } },
    },
    { children: [{ children: [] }] },
    { children: [{ children: ['x'] }] },
  ],
  ['a name of any letters', { $ref: '#/$defs/a~1b~0c%20ü', $defs: { 'a/b~c ü': TEXT } }, 'x', 1],
  [
    'a schema of a schema with an id of its own',
    { items: { $id: 'https://a.example/b', $ref: '#/$defs/a', $defs: { a: TEXT } } },
    ['x'],
    [1],
  ],
  [
    'a place that no keyword makes a schema',
    { $ref: '#/x-types/a', 'x-types': { a: { $ref: '#/x-types/b' }, b: TEXT } },
    'x',
    1,
  ],
])('a reference to %s is valid in the document', (_what, schema, valid, invalid) => {
  expect([accepts(schema, valid), accepts(schema, invalid)]).toEqual([true, false])
  const deep = ['webhooks', 'a.b', 'content', 'application/json', 'schema']
  expect([accepts(schema, valid, deep), accepts(schema, invalid, deep)]).toEqual([true, false])
})

test('a property and data that look like keywords stay as they are', () => {
  const schema = {
    properties: { $ref: { const: { $ref: '#/$defs/a' } }, $id: { type: 'string' } },
    examples: [{ $id: 'x' }],
    default: { $anchor: 'x' },
  }
  expect(standardSchema(schema, AT)).toEqual(schema)
  const examples = [1, { in: [{ $ref: '#' }] }]
  expect(standardSchema({ ...schema, examples }, AT)).not.toHaveProperty('examples')
})

test('a reference that leads nowhere, or to another document, stays as it is', () => {
  const schema = { allOf: [{ $ref: '#nowhere' }, { $ref: 'https://a.example/b#/c' }] }
  expect(standardSchema(schema, AT)).toEqual(schema)
})

test('what names the schema is left out, and the order of keys is kept', () => {
  const schema = { $schema: 's', $id: 'i', $anchor: 'a', title: 't', type: 'object', $defs: {} }
  expect(JSON.stringify(standardSchema(schema, AT))).toBe(
    '{"title":"t","type":"object","$defs":{}}',
  )
})
