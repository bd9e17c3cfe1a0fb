import { describe, expect, test } from 'vitest'
import { compileSelection } from '../../../src/bodies/event-graph/compile-selection.ts'
import type { SourceType } from '../../../src/bodies/event-graph/event-types.ts'
import type { SelectionPlan } from '../../../src/bodies/event-graph/plan-selection.ts'
import { selectEvent } from '../../../src/bodies/event-graph/select-event.ts'
import { publicId } from '../../../src/db/ids.ts'
import { newBudget, OverBudget } from '../../../src/lib/work-budget.ts'

const PAID = {
  properties: {
    order: { properties: { id: { type: 'string' }, total: { type: 'number' } } },
    lines: { items: { properties: { sku: { type: 'string' }, price: { type: 'number' } } } },
    node: { $ref: '#/$defs/node' },
  },
  $defs: { node: { properties: { id: { type: 'number' }, next: { $ref: '#/$defs/node' } } } },
}
const TYPES: readonly SourceType[] = [
  { name: 'order.paid', description: 'Paid.', schema: JSON.stringify(PAID) },
  { name: 'order.sent', description: 'x', schema: '{"properties":{"parcel":{"type":"string"}}}' },
  { name: 'note', description: 'A note.', schema: null },
]
const DATA = String.raw`{"order":{"id":"o\/1","total":9007199254740993},"lines":[{"sku":"a","price":1.0},{"sku":"b"}],"node":{"id":1,"next":{"id":2,"next":null}}}`
const EVENT = {
  id: '019a2b3c-4d5e-7000-8000-000000000001',
  type: 'order.paid',
  occurredAt: new Date('2026-01-31T12:00:00Z'),
  data: DATA,
  previous: '{"order":{"total":7}}' as string | null,
}

function planOf(text: string): SelectionPlan {
  const { plan, issues } = compileSelection(text, TYPES)
  expect(issues).toEqual([])
  return plan as SelectionPlan
}

const select = (text: string, event: Partial<typeof EVENT> = {}) =>
  JSON.stringify(selectEvent(planOf(text), { ...EVENT, ...event }, newBudget()))

const issuesOf = (text: string, types = TYPES) => compileSelection(text, types).issues

describe('a selection', () => {
  test.each([
    ['{ id type }', `{"id":"${publicId('event', EVENT.id)}","type":"order.paid"}`],
    ['{ publishedAt }', `{"publishedAt":"${new Date(0x019a2b3c4d5e).toISOString()}"}`],
    ['{ data }', `{"data":${DATA.replace('\\/', '/')}}`],
    ['{ ... on OrderPaid { order { total } } }', '{"order":{"total":9007199254740993}}'],
    ['{ ... on OrderPaid { o: order { x: id } } }', '{"o":{"x":"o/1"}}'],
    [
      '{ ... on OrderPaid { order { total } order { id total } } }',
      '{"order":{"total":9007199254740993,"id":"o/1"}}',
    ],
    [
      '{ ...A } fragment A on Event { type ...B } fragment B on OrderPaid { order { total } }',
      '{"type":"order.paid","order":{"total":9007199254740993}}',
    ],
    ['{ ... on OrderPaid { lines { price } } }', '{"lines":[{"price":1.0},{"price":null}]}'],
    [
      '{ ... on OrderPaid { order { __typename id } } ... on OrderSent { order: parcel } }',
      '{"order":{"__typename":"OrderPaid_Order","id":"o/1"}}',
    ],
    ['{ ... on OrderPaid { node { next { next { id } } } } }', '{"node":{"next":{"next":null}}}'],
    [
      '{ ... on OrderPaid { previous { order { total } lines { sku } } } }',
      '{"previous":{"order":{"total":7},"lines":null}}',
    ],
    ['{ type @skip(if: true) id @include(if: false) }', '{}'],
    [
      '{ type @skip(if: false) ... on OrderPaid @include(if: false) { data } }',
      '{"type":"order.paid"}',
    ],
  ])('%s', (text, expected) => {
    expect(select(text)).toBe(expected)
  })

  test('gives of an event of another type what it takes of every event', () => {
    const text = '{ type __typename ... on OrderPaid { order { id } } }'
    for (const [type, __typename] of [
      ['order.sent', 'OrderSent'],
      ['order.added_later', 'OrderAddedLater'],
    ] as const) {
      expect(select(text, { type })).toBe(JSON.stringify({ type, __typename }))
    }
    expect(select('{ ... on OrderPaid { order { id } } }', { type: 'order.sent' })).toBe('{}')
  })

  test.each(['"text"', '1', 'null', '[]', '[{"order":{}}]', '{}', ' {} '])(
    'gives null of data without what it takes: %s',
    (data) => {
      expect(select('{ ... on OrderPaid { order { id } } }', { data })).toBe('{"order":null}')
      expect(select('{ ... on OrderPaid { previous { order { id } } } }', { previous: data })).toBe(
        data.includes('{') && !data.includes('[')
          ? '{"previous":{"order":null}}'
          : '{"previous":null}',
      )
    },
  )

  test('of an event without earlier data has null for them', () => {
    const text = '{ ... on OrderPaid { previous { order { id } } } }'
    expect(select(text, { previous: null })).toBe('{"previous":null}')
  })

  test('takes no value that is nested too deeply for a stack', () => {
    const deep = `{"order":{"id":"x","deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`
    expect(select('{ ... on OrderPaid { order { id } } }', { data: deep })).toBe(
      '{"order":{"id":"x"}}',
    )
    expect(() => select('{ data }', { data: deep })).toThrow(OverBudget)
  })
})

describe('an invalid selection', () => {
  test.each([
    ['{ order { id } }', 1, 3, 'Cannot query field "order" on type "Event".'],
    ['{\n  ... on OrderPiad { id } }', 2, 10, 'Unknown type "OrderPiad". Did you mean "OrderPaid"'],
    [
      '{ ... on OrderPaid {\n ordr { id } } }',
      2,
      2,
      'Cannot query field "ordr" on type "OrderPaid". Did you mean "order"?',
    ],
    ['{ ...A } fragment A on Event { ...A }', 1, 32, 'Cannot spread fragment "A" within itself.'],
    ['query ($x: Boolean) { id }', 1, 1, 'Expected "{", found Name "query"'],
    ['{ id } type Query { id: ID }', 1, 8, 'one selection set, and fragments'],
    ['{ id: type x: id id }', 1, 18, 'the name of two values'],
    ['{ __schema { types { name } } }', 1, 3, 'Cannot query field "__schema"'],
  ])('%s', (text, line, column, message) => {
    expect(issuesOf(text)[0]).toMatchObject({
      message: expect.stringContaining(message),
      locations: [{ line: line + 1, column }],
    })
    expect(compileSelection(text, TYPES).plan).toBeNull()
  })

  test.each([
    ['fields', `{ ${'id '.repeat(4_001)} }`, 'at most 4000 fields'],
    ['brackets', '{ a '.repeat(4_000), 'nested too deeply'],
    [
      'fields of fragments that spread fragments',
      `{ ... on OrderPaid { node { ...F0 } } } ${[...Array(14).keys()]
        .map(
          (i) =>
            `fragment F${i} on OrderPaid_Node { a: next { ...F${i + 1} } b: next { ...F${i + 1} } }`,
        )
        .join(' ')} fragment F14 on OrderPaid_Node { id }`,
      'at most 4000 fields',
    ],
  ])('with too many %s is refused at once', (_, text, message) => {
    expect(issuesOf(text)[0]?.message).toContain(message)
  })

  test('with a name of more than 40 characters gets no similar names, which are slow to find', () => {
    const name = 'p'.repeat(41)
    const schema = JSON.stringify({ properties: { [`${name}1`]: { type: 'string' } } })
    const types = [{ name: 'order.paid', description: 'x', schema }]
    const [issue] = issuesOf(`{ ... on OrderPaid { ${name} } }`, types)
    expect(issue?.message).toBe(`Cannot query field "${name}" on type "OrderPaid".`)
  })

  test('has at most 20 issues', () => {
    expect(issuesOf(`{ ${[...Array(900).keys()].map((i) => `x${i}`).join(' ')} }`)).toHaveLength(21)
    const unknown = [...Array(100).keys()].map((i) => `... on X${i} { id }`)
    expect(issuesOf(`{ ${unknown.join(' ')} }`)).toHaveLength(21)
  })
})
