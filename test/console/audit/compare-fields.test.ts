import { expect, test } from 'vitest'
import { compareFields } from '../../../src/console/audit/compare-fields.ts'

test('only what differs is told', () => {
  expect(
    compareFields({ a: 1, b: [1, 2], c: { d: null } }, { a: 1, b: [1, 2], c: { d: null } }),
  ).toEqual([])
  expect(compareFields({ url: 'old', ordered: false }, { url: 'new', ordered: false })).toEqual([
    { field: 'url', before: 'old', after: 'new' },
  ])
})

test('of what was made or deleted, every field is told', () => {
  const fields = [
    { field: 'name', before: undefined, after: 'CI' },
    { field: 'scopes', before: undefined, after: ['admin'] },
  ]
  expect(compareFields(null, { name: 'CI', scopes: ['admin'] })).toEqual(fields)
  expect(compareFields({ name: 'CI', scopes: ['admin'] }, null)).toEqual(
    fields.map(({ field, after }) => ({ field, before: after, after: undefined })),
  )
})

test('of an object, its parts are told; a list is told whole', () => {
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

test('what became an object, or is one no longer, is told whole', () => {
  expect(compareFields({ limits: null }, { limits: { perSecond: 5 } })).toEqual([
    { field: 'limits', before: null, after: { perSecond: 5 } },
  ])
})
