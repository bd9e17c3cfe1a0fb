import { expect, test } from 'vitest'
import { compareFields } from '../../../packages/console/audit/compare-fields.ts'

test('only differing fields are listed', () => {
  expect(
    compareFields({ a: 1, b: [1, 2], c: { d: null } }, { a: 1, b: [1, 2], c: { d: null } }),
  ).toEqual([])
  expect(compareFields({ url: 'old', ordered: false }, { url: 'new', ordered: false })).toEqual([
    { field: 'url', before: 'old', after: 'new' },
  ])
})

test('a created or deleted object lists every field', () => {
  const fields = [
    { field: 'name', before: undefined, after: 'CI' },
    { field: 'scopes', before: undefined, after: ['admin'] },
  ]
  expect(compareFields(null, { name: 'CI', scopes: ['admin'] })).toEqual(fields)
  expect(compareFields({ name: 'CI', scopes: ['admin'] }, null)).toEqual(
    fields.map(({ field, after }) => ({ field, before: after, after: undefined })),
  )
})

test('nested objects are compared by field, lists as a whole', () => {
  expect(
    compareFields(
      { headers: { 'x-a': '1', 'x-b': '2' }, delays: [1, 2] },
      { headers: { 'x-a': '1', 'x-c': '3' }, delays: [1, 3] },
    ),
  ).toEqual([
    { field: 'headers.x-b', before: '2', after: undefined },
    { field: 'headers.x-c', before: undefined, after: '3' },
    { field: 'delays', before: [1, 2], after: [1, 3] },
  ])
})

test('a value that becomes an object, or stops being one, is listed as a whole', () => {
  expect(compareFields({ limits: null }, { limits: { perSecond: 5 } })).toEqual([
    { field: 'limits', before: null, after: { perSecond: 5 } },
  ])
})
