import { expect, test } from 'vitest'
import { filterProblems } from '../../src/filters/filter-problems.ts'
import { readFilter } from '../../src/filters/read-filter.ts'

const ORDER = {
  type: 'object',
  required: ['total'],
  properties: {
    total: { type: 'string' },
    count: { type: 'integer' },
    weight: { type: 'number' },
    state: { enum: ['paid', 'open'] },
    version: { const: 2 },
    note: { type: ['string', 'null'] },
    tags: { type: 'array', items: { type: 'string' } },
    pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
    buyer: { $ref: '#/$defs/person' },
    any: true,
    none: false,
    choice: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    closed: {
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
        { properties: { a: { maxLength: 3 } } },
      ],
    },
    prices: { type: 'object', additionalProperties: { type: 'number' } },
    codes: {
      type: 'object',
      patternProperties: { '^x': { type: 'string' } },
      additionalProperties: false,
    },
  },
  $defs: {
    person: {
      type: 'object',
      properties: { name: { type: 'string' }, parent: { $ref: '#/$defs/person' } },
    },
    'a/b': { type: 'boolean' },
  },
}

test.each([
  ['total', 'greater', 1, 'is a string'],
  ['total', 'equals', 1, 'is a string'],
  ['count', 'startsWith', 'a', 'is an integer'],
  ['state', 'equals', 'payed', 'is "paid" or "open"'],
  ['tags[*]', 'equals', 1, 'is a string'],
  ['pair[*]', 'equals', true, 'is an integer or a string'],
  ['buyer.parent.parent.name', 'less', 1, 'is a string'],
  ['closed.a', 'less', 1, 'is a string'],
])('$.%s %s %j never matches, as it %s', (name, op, value, what) => {
  expect(problemsOf({ path: `$.${name}`, op, value })).toEqual([
    `\`${name}\` ${what} in order.paid: ${op} never matches.`,
  ])
})

test.each([
  ['pair[2]', 'exists'],
  ['closed.b', 'exists'],
])('the schema has no %s: %s never matches', (name, op) => {
  const path = name.startsWith('$') ? name : `$.${name}`
  const problem = `The schema of order.paid has no \`${name}\`: ${op} never matches.`
  expect(problemsOf({ path, op })).toEqual([problem])
})

const OF_TAGS = '`tags` is an array in order.paid: equals never matches.'

test.each([
  ['$.tags', 'equals', 'a', `${OF_TAGS} For its items, use the path $.tags[*].`],
  ['$.tags', 'has', 1, 'Each item of `tags` is a string in order.paid: has never matches.'],
])('%s %s %j: %s', (path, op, value, problem) => {
  expect(problemsOf({ path, op, value })).toEqual([problem])
})

test.each([
  ['$.total', 'contains', '1'],
  ['$.tags[*]', 'changed', undefined],
  ['$.total', 'greater', '2026-01-31T12:00:00Z'],
  ['$.total', 'in', [1, '1']],
  ['$.state', 'equals', 'paid'],
  ['$.tags', 'has', 'a'],
  ['$.unknown', 'equals', 1],
  ['$.choice', 'equals', true],
  ['$.closed.a', 'equals', 'abcd'],
  ['$.codes.y', 'equals', 1],
])('%s %s %j is no problem, as it can match or is left open', (path, op, value) => {
  expect(problemsOf({ path, op, value })).toEqual([])
})

test.each([[true], [{}], [{ $ref: '#/$defs/missing' }], [{ $ref: '#anchor' }], [null]])(
  'the schema %j leaves all open',
  (schema) => {
    expect(problemsOf({ path: '$.a', op: 'equals', value: 1 }, schema)).toEqual([])
  },
)

test('a schema that refers to itself, or has a large tuple in each item, is followed quickly', () => {
  const cyclic = { $ref: '#', allOf: [{ $ref: '#' }] }
  const tuple = { type: 'array', prefixItems: Array.from({ length: 60 }, () => ({ $ref: '#' })) }
  const deep = { path: `$${'[*]'.repeat(60)}`, op: 'equals', value: 1 }
  expect(problemsOf(deep, cyclic)).toEqual([])
  expect(problemsOf(deep, tuple)).toEqual([])
})

function problemsOf(filter: object, schema: unknown = ORDER): string[] {
  return problemsOfText(JSON.stringify(filter), schema)
}

function problemsOfText(text: string, schema: unknown): string[] {
  const { filter, issues } = readFilter(text, ['filter'])
  if (!filter) throw new Error(JSON.stringify(issues))
  return filterProblems(filter, schema, 'order.paid')
}
