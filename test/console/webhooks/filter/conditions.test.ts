import { describe, expect, test } from 'vitest'
import {
  type Condition,
  conditionsOf,
  newCondition,
  newGroup,
  readConditions,
} from '../../../../src/console/webhooks/filter/conditions.ts'
import {
  placesOf,
  printConditions,
} from '../../../../src/console/webhooks/filter/print-conditions.ts'
import { readFilter } from '../../../../src/filters/read-filter.ts'

const leaf = (path: string, op: string, value?: string) =>
  `{"path":"${path}","op":"${op}"${value === undefined ? '' : `,"value":${value}`}}`

const PAID = leaf('$.status', 'equals', '"paid"')
const TOTAL = leaf('$.total', 'greater', '100')
const BERLIN = leaf("$['ship to'].city", 'in', '["Berlin","Bonn"]')

describe('the builder shows a filter, and prints the same', () => {
  test.each([
    ['one condition', PAID],
    ['a negated condition', `{"not":${PAID}}`],
    ['a number with all of its digits', leaf('$.id', 'equals', '9007199254740993')],
    ['a number as written', leaf('$.total', 'lessOrEqual', '1.50e2')],
    ['true', leaf('$.paid', 'equals', 'true')],
    ['null', leaf('$.paid', 'equals', 'null')],
    ['an item', leaf('$.tags', 'has', '"new"')],
    ['a list of numbers', leaf('$.id', 'in', '[1,2.0]')],
    ['a time', leaf('$.at', 'greaterOrEqual', '"2026-01-31T12:00:00Z"')],
    ['a field that exists', leaf('$.items[*].sku', 'exists')],
    ['a field that has changed', leaf('$.items[*].sku', 'changed')],
    ['a beginning', leaf('$.sku', 'startsWith', '"A"')],
    ['a part', leaf('$.sku', 'contains', '"\\"B\\""')],
    ['all of several', `{"all":[${PAID},${TOTAL},${BERLIN}]}`],
    ['any of several', `{"any":[${PAID},{"not":${TOTAL}}]}`],
    ['a group in a list', `{"all":[${PAID},{"any":[${TOTAL},{"not":${BERLIN}}]}]}`],
  ])('%s', (_what, text) => {
    const group = readConditions(text)
    expect(group && printConditions(group)).toBe(text)
    // The server takes it too.
    expect(readFilter(text, ['filter']).issues).toEqual([])
  })
})

describe('the builder does not show, so that nothing is lost,', () => {
  test.each([
    ['a group in a group', `{"all":[{"any":[${PAID},{"all":[${TOTAL}]}]}]}`],
    ['a negated group', `{"not":{"all":[${PAID}]}}`],
    ['a double negation', `{"not":{"not":${PAID}}}`],
    ['a list of several types', leaf('$.id', 'in', '[1,"2"]')],
    ['an empty text', leaf('$.id', 'equals', '""')],
    ['an unknown operator', leaf('$.id', 'matches', '"2"')],
    ['an unknown field', `{"path":"$.a","op":"exists","if":1}`],
    ['other JSON', '[]'],
    ['text that is no JSON', '{"path"'],
  ])('%s', (_what, text) => {
    expect(readConditions(text)).toBeNull()
  })
})

describe('while a part is missing, the text is no JSON', () => {
  const complete: Condition = { ...newCondition(), path: '$.total', values: ['1'] }
  const isJson = (condition: Condition) =>
    readFilter(printConditions(newGroup([complete, condition])), ['filter']).issues.length === 0
  test.each<[string, Partial<Condition>]>([
    ['a path', { path: ' ' }],
    ['a text', { values: [''] }],
    ['a number', { kind: 'number', values: ['1,5'] }],
    ['a number and not more', { kind: 'number', values: ['1,"not":2'] }],
    ['a time', { op: 'less', kind: 'time', values: [''] }],
    ['a list', { op: 'in', values: [] }],
  ])('%s', (_what, part) => {
    expect(isJson(complete)).toBe(true)
    expect(isJson({ ...complete, ...part })).toBe(false)
  })
})

test('the place of each condition is that of the server in its issues', () => {
  const bad = leaf('$.total', 'greater', '"many"')
  const text = `{"all":[${bad},{"not":${bad}},{"any":[${PAID},{"not":${bad}}]}]}`
  const group = readConditions(text)
  const places = group ? placesOf(group) : []
  expect(places).toEqual(['all.0', 'all.1.not', 'all.2.any.0', 'all.2.any.1.not'])
  const { issues } = readFilter(text, [])
  expect(issues.map(({ path }) => path.slice(0, -1).join('.'))).toEqual(
    places.filter((place) => place !== 'all.2.any.0'),
  )
  const single = readConditions(`{"not":${bad}}`)
  expect(single && placesOf(single)).toEqual(['not'])
  expect(single && conditionsOf(single)).toHaveLength(1)
})
