import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSameJson } from '../../src/lib/exact-json.ts'

test.each([
  ['{"a": 1, "b": [1.0, 1e2]}', '{"b":[1.0,1e2],"a":1}', true],
  ['9007199254740993', '9007199254740993', true],
  ['9007199254740993', '9007199254740992', false],
  ['0.1', '0.10000000000000000001', false],
  ['[1, 2]', '[2, 1]', false],
  ['[]', '{}', false],
  ['{"0": 1}', '[1]', false],
  ['{"a": null}', '{"b": null}', false],
  ['{"a": null}', '{}', false],
  ['1', '"1"', false],
  ['null', '{}', false],
  ['null', null, false],
  [null, null, true],
])('%s and %s: equal is %s', (a, b, expected) => {
  expect([isSameJson(a, b), isSameJson(b, a)]).toEqual([expected, expected])
})

test('any JSON equals itself with other white space, and no other JSON', () => {
  fc.assert(
    fc.property(fc.json(), fc.json(), (a, b) => {
      const spaced = JSON.stringify(JSON.parse(a), null, 2)
      expect(isSameJson(a, spaced)).toBe(true)
      if (isSameJson(a, b)) expect(JSON.parse(a)).toEqual(JSON.parse(b))
    }),
  )
})
