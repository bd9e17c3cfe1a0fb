import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rawItems, rawMembers } from '../../src/lib/raw-json.ts'

test('members and items keep their texts', () => {
  const text = String.raw` { "10": 1.50, "a\"{": [ 1e2 , "],}\\" ], "1": {"x": {}},"e":{} } `
  expect([...(rawMembers(text) ?? [])]).toEqual([
    ['10', '1.50'],
    ['a"{', String.raw`[ 1e2 , "],}\\" ]`],
    ['1', '{"x": {}}'],
    ['e', '{}'],
  ])
  expect(rawItems(String.raw`[ 1e2 , "],}\\", [ ], {"a": [1]} ]`)).toEqual([
    '1e2',
    String.raw`"],}\\"`,
    '[ ]',
    '{"a": [1]}',
  ])
  expect([rawItems(' [ ] '), rawMembers(' { } ')]).toEqual([[], new Map()])
})

test('of a repeated name, the last one counts', () => {
  expect(rawMembers('{"a":1,"a":2}')).toEqual(new Map([['a', '2']]))
})

test.each(['1', '"{"', 'null', 'true', ''])('%j is neither an object nor an array', (text) => {
  expect([rawMembers(text), rawItems(text)]).toEqual([null, null])
})

test('any JSON is cut into what it has', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(0, 2), (text, indent) => {
      const value: unknown = JSON.parse(text)
      const printed = JSON.stringify(value, null, indent)
      if (Array.isArray(value)) {
        expect(rawItems(printed)?.map((item) => JSON.parse(item))).toEqual(value)
      } else if (typeof value === 'object' && value !== null) {
        const members = [...(rawMembers(printed) ?? [])]
        expect(members.map(([name, member]) => [name, JSON.parse(member)])).toEqual(
          Object.entries(value),
        )
      }
    }),
  )
})
