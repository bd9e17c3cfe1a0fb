import { expect, test } from 'vitest'
import { filterProblems } from '../../../src/events/filters/filter-problems.ts'
import { readFilter } from '../../../src/events/filters/read-filter.ts'

const ORDER = {
  type: 'object',
  properties: {
    total: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' } },
    pair: { type: 'array', prefixItems: [{ type: 'string' }], items: false },
    buyer: { $ref: '#/$defs/person' },
    any: true,
    none: false,
    choice: { oneOf: [{ properties: { a: {} } }, { type: 'integer' }] },
    closed: { allOf: [{ properties: { a: {} }, additionalProperties: false }, {}] },
    prices: { properties: { EUR: {} }, additionalProperties: { type: 'number' } },
    codes: { properties: { a: {} }, patternProperties: { '^x': {} } },
  },
  $defs: { person: { properties: { name: {}, parent: { $ref: '#/$defs/person' } } } },
}

function problemsOf(path: string, schema: unknown = ORDER): string[] {
  const { filter } = readFilter(JSON.stringify({ path, op: 'exists' }), ['filter'])
  if (!filter) throw new Error(path)
  return filterProblems(filter, schema, 'order.paid')
}

test.each([
  ...['totl', 'total.cents', 'tags[*].name', 'tags.length', 'none', 'closed.b'],
  ...['buyer.parent.nme', '[0]'],
])('the schema has no $.%s', (name) => {
  const path = name.startsWith('[') ? `$${name}` : `$.${name}`
  const shown = name.startsWith('[') ? path : name
  expect(problemsOf(path)).toEqual([`The schema of order.paid has no \`${shown}\`.`])
})

test.each([
  ...['total', 'tags', 'tags[*]', 'tags[3]', 'pair[2]', 'buyer.parent.parent.name', 'any.x.y'],
  ...['choice.b', 'closed.a', 'prices.USD', 'codes.y'],
])('the schema has, or leaves open, $.%s', (name) => {
  expect(problemsOf(`$.${name}`)).toEqual([])
})

test.each([[true], [{}], [{ $ref: '#/$defs/missing' }], [{ $ref: '#anchor' }], [null]])(
  'the schema %j leaves all open',
  (schema) => {
    expect(problemsOf('$.a', schema)).toEqual([])
  },
)

test('a schema that refers to itself is followed quickly', () => {
  expect(problemsOf(`$${'[*]'.repeat(60)}`, { $ref: '#', allOf: [{ $ref: '#' }] })).toEqual([])
})
