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
  ['$.total', 'greater', 1, '`total` is a string in order.paid: greater never matches.'],
  ['$.total', 'equals', 1, '`total` is a string in order.paid: equals never matches.'],
  ['$.total', 'in', [1, null], '`total` is a string in order.paid: in never matches.'],
  ['$.count', 'startsWith', 'a', '`count` is an integer in order.paid: startsWith never matches.'],
  ['$.count', 'equals', 1.5, '`count` is an integer in order.paid: equals never matches.'],
  ['$.weight', 'equals', 'a', '`weight` is a number in order.paid: equals never matches.'],
  [
    '$.count',
    'less',
    '2026-01-31T12:00:00Z',
    '`count` is an integer in order.paid: less never matches.',
  ],
  ['$.note', 'equals', true, '`note` is null or a string in order.paid: equals never matches.'],
  [
    '$.state',
    'equals',
    'payed',
    '`state` is "paid" or "open" in order.paid: equals never matches.',
  ],
  ['$.version', 'in', [1, 3], '`version` is 2 in order.paid: in never matches.'],
  [
    '$.tags',
    'equals',
    'a',
    '`tags` is an array in order.paid: equals never matches. For its items, use the path $.tags[*].',
  ],
  ['$.tags', 'has', 1, 'Each item of `tags` is a string in order.paid: has never matches.'],
  ['$.tags[*]', 'equals', 1, '`tags[*]` is a string in order.paid: equals never matches.'],
  [
    '$.tags.a',
    'exists',
    undefined,
    'The schema of order.paid has no `tags.a`: exists never matches.',
  ],
  [
    '$.pair[2]',
    'exists',
    undefined,
    'The schema of order.paid has no `pair[2]`: exists never matches.',
  ],
  [
    '$.closed.b',
    'changed',
    undefined,
    'The schema of order.paid has no `closed.b`: changed never matches.',
  ],
  ['$.pair[1]', 'equals', 'a', '`pair[1]` is an integer in order.paid: equals never matches.'],
  [
    '$.pair[*]',
    'equals',
    true,
    '`pair[*]` is an integer or a string in order.paid: equals never matches.',
  ],
  ['$.buyer.name', 'less', 1, '`buyer.name` is a string in order.paid: less never matches.'],
  [
    '$.buyer.parent.parent.name',
    'less',
    1,
    '`buyer.parent.parent.name` is a string in order.paid: less never matches.',
  ],
  ['$.none', 'exists', undefined, 'The schema of order.paid has no `none`: exists never matches.'],
  [
    '$.closed.b',
    'exists',
    undefined,
    'The schema of order.paid has no `closed.b`: exists never matches.',
  ],
  ['$.closed.a', 'less', 1, '`closed.a` is a string in order.paid: less never matches.'],
  [
    '$.prices.chf',
    'contains',
    '1',
    '`prices.chf` is a number in order.paid: contains never matches.',
  ],
  ['$', 'equals', 1, '`$` is an object in order.paid: equals never matches.'],
  ['$[0]', 'exists', undefined, 'The schema of order.paid has no `$[0]`: exists never matches.'],
])('%s %s %j never matches', (path, op, value, problem) => {
  expect(problemsOf({ path, op, value })).toEqual([problem])
})

test.each([
  ['$.total', 'contains', '1'],
  ['$.state', 'changed', undefined],
  ['$.tags[*]', 'changed', undefined],
  ['$.total', 'greater', '2026-01-31T12:00:00Z'],
  ['$.total', 'in', [1, '1']],
  ['$.count', 'equals', 1],
  ['$.weight', 'equals', 1],
  ['$.weight', 'greater', 0.5],
  ['$.note', 'equals', null],
  ['$.state', 'equals', 'paid'],
  ['$.state', 'startsWith', 'x'],
  ['$.version', 'equals', 2],
  ['$.tags', 'has', 'a'],
  ['$.tags[*]', 'equals', 'a'],
  ['$.pair[*]', 'equals', 1],
  ['$.unknown', 'equals', 1],
  ['$.any.thing[3]', 'equals', 1],
  ['$.choice', 'equals', true],
  ['$.closed.a', 'equals', 'abcd'],
  ['$.codes.y', 'equals', 1],
])('%s %s %j is no problem, as it can match or is left open', (path, op, value) => {
  expect(problemsOf({ path, op, value })).toEqual([])
})

test('the problems of each part of a filter are listed once', () => {
  const wrong = { path: '$.total', op: 'less', value: 1 }
  const right = { path: '$.total', op: 'equals', value: 'a' }
  expect(problemsOf({ any: [right, { not: { all: [wrong, wrong] } }] })).toEqual([
    '`total` is a string in order.paid: less never matches.',
  ])
})

test.each([[true], [{}], [{ $ref: '#/$defs/missing' }], [{ $ref: '#anchor' }], [null]])(
  'the schema %j leaves all open',
  (schema) => {
    expect(problemsOf({ path: '$.a', op: 'equals', value: 1 }, schema)).toEqual([])
  },
)

test('a number is compared by its digits', () => {
  const schema = { properties: { id: { enum: [9007199254740992] } } }
  expect(problemsOfText('{"path":"$.id","op":"equals","value":9007199254740993}', schema)).toEqual([
    '`id` is 9007199254740992 in order.paid: equals never matches.',
  ])
  expect(
    problemsOfText('{"path":"$.id","op":"equals","value":9007199254740992.0}', schema),
  ).toEqual([])
})

test('a schema that refers to itself, or has a large tuple in each item, is followed quickly', () => {
  const cyclic = { $ref: '#', allOf: [{ $ref: '#' }] }
  const tuple = { type: 'array', prefixItems: Array.from({ length: 60 }, () => ({ $ref: '#' })) }
  const deep = { path: `$${'[*]'.repeat(60)}`, op: 'equals', value: 1 }
  // The time of the processor, because other programs delay this one.
  const before = process.cpuUsage()
  expect(problemsOf(deep, cyclic)).toEqual([])
  expect(problemsOf(deep, tuple)).toEqual([])
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1_000).toBeLessThan(100)
})

function problemsOf(filter: object, schema: unknown = ORDER): string[] {
  return problemsOfText(JSON.stringify(filter), schema)
}

function problemsOfText(text: string, schema: unknown): string[] {
  const { filter, issues } = readFilter(text, ['filter'])
  if (!filter) throw new Error(JSON.stringify(issues))
  return filterProblems(filter, schema, 'order.paid')
}
