import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatJson } from '../../../../src/console/components/json/format-json.ts'
import {
  openUpTo,
  PARTS_PER_PAGE,
  visibleRows,
  visibleString,
} from '../../../../src/console/components/json/json-rows.ts'
import { parsePayload } from '../../../../src/console/events/parse-payload.ts'

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

test('a large value is folded initially, and unfolds 100 parts at a time', () => {
  const value = { list: Array.from({ length: 5_000 }, (_, index) => index), name: 'Ada' }
  const folded = visibleRows(value, { open: openUpTo(value, 80, 30), parts: new Map() })
  expect(folded.map(({ path }) => path)).toEqual(['', '/list', '/name'])
  const opened = visibleRows(value, { open: new Set(['', '/list']), parts: new Map() })
  expect(opened).toHaveLength(3 + PARTS_PER_PAGE + 1)
  expect(opened.find(({ rest }) => rest !== null)?.rest).toBe(5_000 - PARTS_PER_PAGE)
  const more = visibleRows(value, {
    open: new Set(['', '/list']),
    parts: new Map([['/list', 200]]),
  })
  expect(more).toHaveLength(3 + 200 + 1)
})

test('property names with slashes have distinct paths', () => {
  const rows = visibleRows(
    { 'a/b': 1, a: { b: 2 }, 'a~1b': 3 },
    { open: new Set(['', '/a']), parts: new Map() },
  )
  expect(new Set(rows.map(({ path }) => path)).size).toBe(rows.length)
})

test('invisible and direction-changing characters are escaped', () => {
  expect(visibleString('\u202eevil\u200b\u0000')).toBe('"\\u202eevil\\u200b\\u0000"')
  expect(visibleString('größe 🎉')).toBe('"größe 🎉"')
})
