import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatJson } from '../../../../packages/console/components/json/format-json.ts'
import { parsePayload } from '../../../../packages/console/events/parse-payload.ts'

test('formatted JSON equals the output of JSON.stringify', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value: unknown = JSON.parse(text)
      const written = JSON.stringify(value)
      expect(formatJson(written)).toBe(JSON.stringify(value, null, 2))
    }),
  )
})

test('numbers keep all their digits, and text that is not JSON gives null', () => {
  expect(formatJson('[1.0,12345678901234567890]')).toBe('[\n  1.0,\n  12345678901234567890\n]')
  expect(formatJson('<html>')).toBeNull()
})

test('a payload with a number that JavaScript cannot represent is rejected', () => {
  expect(parsePayload('{"id": 9007199254740993}')).toMatchObject({ ok: false })
  expect(parsePayload('{"id": 9007199254740991, "price": 1.5}')).toMatchObject({ ok: true })
  expect(parsePayload('{"id":')).toMatchObject({ ok: false })
})
