import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { schemaWithComponents, standardSchema } from '../../src/lib/standard-schema.ts'

const standard = (schema: object) => standardSchema(structuredClone(schema) as never)

/** Whether data is valid against the schema alone, or as a part of a document that has its components. */
function accepts(schema: object, data: unknown, isPart = false): boolean {
  const ajv = new Ajv2020({ strict: false, logger: false })
  if (!isPart) return ajv.validate(standard(schema), data)
  const part = schemaWithComponents(structuredClone(schema) as never, 'Order_')
  ajv.addSchema({ $id: 'document', part: part.schema, components: { schemas: part.components } })
  return ajv.validate('document#/part', data)
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
  expect([accepts(schema, valid, true), accepts(schema, invalid, true)]).toEqual([true, false])
})

test('a property and data that look like keywords stay as they are', () => {
  const schema = {
    properties: { $ref: { const: { $ref: '#/$defs/a' } }, $id: { type: 'string' } },
    examples: [{ $id: 'x' }],
    default: { $anchor: 'x' },
  }
  expect(standard(schema)).toEqual(schema)
  const examples = [1, { in: [{ $ref: '#' }] }]
  expect(standard({ ...schema, examples })).not.toHaveProperty('examples')
})

test('a reference that leads nowhere, or to another document, stays as it is', () => {
  const schema = { allOf: [{ $ref: '#nowhere' }, { $ref: 'https://a.example/b#/c' }] }
  expect(standard(schema)).toEqual(schema)
})

test('what names the schema is left out, and the order of keys is kept', () => {
  const schema = { $schema: 's', $id: 'i', $anchor: 'a', title: 't', type: 'object', $defs: {} }
  expect(JSON.stringify(standard(schema))).toBe('{"title":"t","type":"object","$defs":{}}')
})
