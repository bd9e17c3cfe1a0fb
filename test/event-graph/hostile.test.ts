import { validateSchema } from 'graphql'
import { expect, test } from 'vitest'
import { createEventSchema, eventAlone } from '../../src/event-graph/event-schema.ts'
import type { SourceType } from '../../src/event-graph/model.ts'

const typeWith = (schema: unknown, name = 'order.paid'): SourceType => ({
  name,
  description: 'x',
  schema: JSON.stringify(schema),
})

const range = (length: number) => [...Array(length).keys()]
const object = (properties: object) => ({ type: 'object', properties })

/** Nested `levels` deep. */
function nested(levels: number): object {
  return range(levels).reduce<object>((inner) => object({ a: inner }), { type: 'string' })
}

test.each<[string, unknown]>([
  ['10,000 properties', object(Object.fromEntries(range(10_000).map((i) => [`p-${i}`, {}])))],
  [
    'objects with more fields than a type can have',
    object(
      Object.fromEntries(
        range(300).map((i) => [
          `o${i}`,
          object(Object.fromEntries(range(30).map((j) => [`p${j}`, {}]))),
        ]),
      ),
    ),
  ],
  ['2,000 levels', nested(2_000)],
  ['only a long property', object({ a: object({ ['x'.repeat(200)]: {} }) })],
  [
    'a cycle of references',
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
  ],
  [
    'a cycle through choices',
    {
      ...object({ a: { $ref: '#/$defs/a' } }),
      $defs: { a: object({ x: { oneOf: [{ $ref: '#/$defs/a' }, { type: 'null' }] } }) },
    },
  ],
  [
    'schemas whose combinations are endless',
    {
      allOf: range(12).map((i) => ({ $ref: `#/$defs/s${i}` })),
      $defs: Object.fromEntries(
        range(12).map((i) => [
          `s${i}`,
          object(
            Object.fromEntries(
              range(12).map((j) => [`p${j}`, { $ref: `#/$defs/s${(i * 7 + j * 5) % 12}` }]),
            ),
          ),
        ]),
      ),
    },
  ],
  [
    'many choices of many choices',
    object({
      a: {
        oneOf: range(40).map((i) => ({
          oneOf: range(40).map((j) => object({ [`x${i}_${j}`]: {} })),
        })),
      },
    }),
  ],
  [
    'words of JavaScript',
    object({
      constructor: object({ __proto__: {}, toString: {} }),
      ['__proto__']: object({ a: {} }),
    }),
  ],
  [
    'things that are no schemas',
    { properties: { a: [], b: 1, c: null, d: { oneOf: 5, allOf: {}, items: 3, enum: 'x' } } },
  ],
])('a schema with %s has a valid graph', async (_, schema) => {
  const graph = await createEventSchema([typeWith(schema)], eventAlone)
  expect(validateSchema(graph)).toEqual([])
  expect(Object.keys(graph.getTypeMap()).length).toBeLessThan(350)
})
