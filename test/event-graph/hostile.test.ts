import { validateSchema } from 'graphql'
import { expect, test } from 'vitest'
import { compileSelection } from '../../src/event-graph/compile-selection.ts'
import { createEventSchema, eventAlone } from '../../src/event-graph/event-schema.ts'
import type { SourceType } from '../../src/event-graph/model.ts'
import { printEventGraph } from '../../src/event-graph/print-event-graph.ts'

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
    '10,000 properties whose names are alike',
    object(Object.fromEntries(range(10_000).map((i) => [String.fromCodePoint(0x4e00 + i), {}]))),
  ],
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
  ['a long property', object({ ['x'.repeat(60_000)]: { type: 'string' } })],
  ['only a long property', object({ a: object({ ['x'.repeat(200)]: {} }) })],
  [
    'long properties on many levels',
    range(16).reduce<object>((inner) => object({ ['x'.repeat(128)]: inner }), {}),
  ],
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
    'choices of themselves',
    {
      ...object({ a: { $ref: '#/$defs/a' } }),
      $defs: {
        a: { oneOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }] },
        b: { anyOf: [{ $ref: '#/$defs/a' }] },
      },
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
    'types that contradict each other',
    { ...object({ a: { type: [], enum: [] } }), allOf: [{ type: 'number' }, { type: 'string' }] },
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
  const start = performance.now()
  const graph = await createEventSchema([typeWith(schema)], eventAlone)
  expect(performance.now() - start).toBeLessThan(60_000)
  expect(validateSchema(graph)).toEqual([])
  expect(Object.keys(graph.getTypeMap()).length).toBeLessThan(350)
})

const MANY = range(1_000).map((i) =>
  typeWith(
    {
      ...object({
        id: { type: 'string' },
        order: object({ id: { type: 'string' }, total: { type: 'number' }, [`n${i}`]: {} }),
        lines: {
          type: 'array',
          items: object({ sku: { type: 'string' }, price: { type: 'number' } }),
        },
        customer: { $ref: '#/$defs/customer' },
        status: { enum: ['open', 'paid'] },
      }),
      $defs: { customer: object({ email: { type: 'string' }, address: object({ city: {} }) }) },
    },
    `things.of_kind_${i}`,
  ),
)

test('the graph of 1,000 event types is made and printed while others run', async () => {
  let turns = 0
  const counting = setInterval(() => turns++, 1)
  const start = performance.now()
  const graph = await createEventSchema(MANY, eventAlone)
  const text = await printEventGraph(graph)
  const took = performance.now() - start
  clearInterval(counting)
  expect(validateSchema(graph)).toEqual([])
  expect(text).toContain('type ThingsOfKind999 implements Event {')
  // A second on a machine of its own: the bench measures. Here others run beside.
  expect(took).toBeLessThan(60_000)
  expect(turns).toBeGreaterThan(10)
})

test('a selection among 1,000 event types is compiled without describing them all', () => {
  const text = '{ ... on ThingsOfKind7 { order { n7 } } ... on ThingsOfKind8 { status } }'
  const start = performance.now()
  const { plan, issues } = compileSelection(text, MANY)
  expect(issues).toEqual([])
  expect(plan?.cases.map(({ eventType }) => eventType)).toEqual([
    'things.of_kind_7',
    'things.of_kind_8',
  ])
  expect(performance.now() - start).toBeLessThan(60_000)
})
