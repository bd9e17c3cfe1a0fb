import { expect, test } from 'vitest'
import { schemaFields } from '../../site/reference/schema-fields.ts'

test('a schema lists its fields, each before the fields in it', () => {
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
  const rows = schemaFields(schema).map(({ path, type, required, rules }) => [
    path,
    type,
    required,
    rules.join(', '),
  ])
  expect(rows).toEqual([
    ['order', 'object', true, ''],
    ['order.id', 'string', true, 'at least 3 characters, matches ^or_'],
    ['order.lines', 'list of object', false, 'at least 1 entry'],
    ['order.lines[].count', 'integer', false, 'at least 1'],
    ['note', 'string or null', false, ''],
    ['kind', 'string or number', false, 'one of "a", 1'],
    ['version', 'number', false, 'always 2'],
  ])
  expect(schemaFields(schema)[0]?.description).toBe('The order.')
})

test('local references, allOf and anyOf are resolved', () => {
  const schema = {
    $ref: '#/$defs/order',
    $defs: {
      'a/b': { type: 'string', title: 'A name' },
      base: { required: ['id'], properties: { id: { type: 'number' } } },
      order: {
        allOf: [{ $ref: '#/$defs/base' }],
        properties: {
          name: { $ref: '#/$defs/a~1b' },
          either: { anyOf: [{ type: 'boolean' }, { $ref: '#/$defs/a~1b' }] },
        },
      },
    },
  }
  expect(schemaFields(schema)).toMatchObject([
    { path: 'name', type: 'string', description: 'A name' },
    { path: 'either', type: 'boolean or string' },
    { path: 'id', type: 'number', required: true },
  ])
})

test.each([
  ['refers to itself', { properties: { child: { $ref: '#' } } }],
  ['refers to itself in a choice', { properties: { a: { anyOf: [{ $ref: '#/properties/a' }] } } }],
  ['refers to itself alone', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }],
  [
    'branches without end',
    {
      properties: Object.fromEntries(
        Array.from({ length: 50 }, (_, i) => [`p${i}`, { $ref: '#' }]),
      ),
    },
  ],
])('a schema that %s has a bounded number of fields', (_what, schema) => {
  expect(schemaFields(schema).length).toBeLessThanOrEqual(300)
})

test.each([
  [null],
  [true],
  [[]],
  [{ $ref: '#/nowhere' }],
  [{ properties: 1, required: 'x', items: 2 }],
])('what names no field has none: %j', (schema) => {
  expect(schemaFields(schema)).toEqual([])
})
