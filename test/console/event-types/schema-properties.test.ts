import { expect, test } from 'vitest'
import { schemaProperties } from '../../../packages/console/event-types/page/schema-properties.ts'

test('a schema lists its properties, each before its nested properties', () => {
  const schema = {
    type: 'object',
    required: ['order'],
    properties: {
      order: {
        type: 'object',
        description: 'The order.',
        required: ['id'],
        properties: {
          id: { type: 'string', minLength: 3, pattern: '^or_' },
          lines: {
            type: 'array',
            minItems: 1,
            items: { type: 'object', properties: { count: { type: 'integer', minimum: 1 } } },
          },
        },
      },
      note: { type: ['string', 'null'] },
      kind: { enum: ['a', 1] },
      version: { const: 2 },
    },
  }
  const rows = schemaProperties(schema).map(({ path, type, required, rules }) => [
    path,
    type,
    required,
    rules.join(', '),
  ])
  expect(rows).toEqual([
    ['order', 'object', true, ''],
    ['order.id', 'text', true, 'at least 3 characters, matches ^or_'],
    ['order.lines', 'list of object', false, 'at least 1 entry'],
    ['order.lines[].count', 'whole number', false, 'at least 1'],
    ['note', 'text or null', false, ''],
    ['kind', 'any', false, 'one of "a", 1'],
    ['version', 'any', false, 'always 2'],
  ])
  expect(schemaProperties(schema)[0]?.description).toBe('The order.')
})

test('local references, allOf and anyOf are resolved', () => {
  const schema = {
    $defs: {
      'a/b': { type: 'string', title: 'A name' },
      base: { required: ['id'], properties: { id: { type: 'number' } } },
    },
    allOf: [{ $ref: '#/$defs/base' }],
    properties: {
      name: { $ref: '#/$defs/a~1b' },
      either: { anyOf: [{ type: 'boolean' }, { $ref: '#/$defs/a~1b' }] },
    },
  }
  expect(schemaProperties(schema)).toMatchObject([
    { path: 'name', type: 'text', description: 'A name' },
    { path: 'either', type: 'true or false or text' },
    { path: 'id', type: 'number', required: true },
  ])
})

test('recursive and very wide schemas are bounded', () => {
  const tree = {
    $defs: { node: { type: 'object', properties: { child: { $ref: '#/$defs/node' } } } },
    $ref: '#/$defs/node',
  }
  expect(schemaProperties(tree).map(({ path }) => path)).toContain('child.child.child')
  expect(schemaProperties(tree).length).toBeLessThan(20)
  const wide = {
    properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`p${i}`, {}])),
  }
  expect(schemaProperties(wide)).toHaveLength(300)
})

test.each([
  null,
  true,
  'text',
  [],
  {},
  { properties: [] },
  { $ref: '#/no/where' },
  { $ref: 'https://example.com' },
])('a schema such as %j names no properties', (schema) => {
  expect(schemaProperties(schema)).toEqual([])
})
