import { expect, test } from 'vitest'
import { brokenPromises } from '../../src/event-types/catalogue/receiver-findings.ts'

const object = (properties: object, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
})
const STRING = { type: 'string' }

test.each<[string, unknown, unknown, string[]]>([
  [
    'a required property goes away',
    object({ total: STRING }, ['total']),
    object({}),
    ['`total` was required, and goes away.'],
  ],
  [
    'a known property goes away',
    object({ a: STRING }),
    object({}),
    ['`a` was known, and goes away.'],
  ],
  [
    'a property is refused',
    object({ a: STRING }),
    object({ a: false }),
    ['`a` is refused, and goes away.'],
  ],
  [
    'a required property can be missing',
    object({ a: STRING }, ['a']),
    object({ a: STRING }),
    ['`a` was required, and can be missing.'],
  ],
  [
    'another type',
    object({ a: STRING }),
    object({ a: { type: 'number' } }),
    ['`a` was a string, and can be a number.'],
  ],
  [
    'a wider type',
    object({ a: STRING }),
    object({ a: { type: ['string', 'null'] } }),
    ['`a` was a string, and can be null or a string.'],
  ],
  [
    'an integer that becomes a number',
    object({ a: { type: 'integer' } }),
    object({ a: { type: 'number' } }),
    ['`a` was an integer, and can be a number.'],
  ],
  [
    'a longer list of values',
    object({ a: { enum: ['x'] } }),
    object({ a: { enum: ['x', 'y'] } }),
    ['`a` was "x", and can be "x" or "y".'],
  ],
  [
    'no list of values any more',
    object({ a: { enum: ['x'] } }),
    object({ a: STRING }),
    ['`a` was "x", and can be a string.'],
  ],
  [
    'nested properties and items',
    object({ buyer: object({ name: STRING }), items: { items: object({ sku: STRING }) } }),
    object({ buyer: object({}), items: { items: object({ sku: { type: 'integer' } }) } }),
    [
      '`buyer.name` was known, and goes away.',
      '`items[*].sku` was a string, and can be an integer.',
    ],
  ],
  [
    'through a reference',
    { ...object({ a: { $ref: '#/$defs/t' } }), $defs: { t: STRING } },
    { ...object({ a: { $ref: '#/$defs/u' } }), $defs: { u: { type: 'boolean' } } },
    ['`a` was a string, and can be a boolean.'],
  ],
  ['the schema goes away', object({}), null, ['The data was an object, and can be any value.']],
])('%s: receivers are told', (_case, before, after, sentences) => {
  expect(brokenPromises(before, after)).toEqual(sentences)
})

test.each<[string, unknown, unknown]>([
  ['a new property', object({}), object({ a: STRING }, ['a'])],
  ['a narrower type', object({ a: { type: ['string', 'null'] } }), object({ a: STRING })],
  [
    'a number that becomes an integer',
    object({ a: { type: 'number' } }),
    object({ a: { type: 'integer' } }),
  ],
  ['a shorter list of values', object({ a: { enum: ['x', 'y'] } }), object({ a: { const: 'y' } })],
  ['a list where none was', object({ a: STRING }), object({ a: { enum: ['x'] } })],
  ['another description', { ...object({ a: STRING }), title: 'a' }, object({ a: STRING })],
  ['a first schema', null, object({ a: STRING })],
  [
    'the same by reference',
    object({ a: STRING }),
    { ...object({ a: { $ref: '#/$defs/t' } }), $defs: { t: STRING } },
  ],
])('%s breaks nothing', (_case, before, after) => {
  expect(brokenPromises(before, after)).toEqual([])
})

test('a schema that refers to itself is compared once', () => {
  const tree = (leaf: object) => object({ leaf, left: { $ref: '#' }, right: { $ref: '#' } })
  expect(brokenPromises(tree(STRING), tree({ type: 'null' }))).toEqual([
    '`leaf` was a string, and can be null.',
  ])
})
