import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasLoneSurrogate } from '../../src/lib/parse-json.ts'

/** Texts in which escapes, pairs, halves and backslashes meet in every order. */
const escapes = String.raw`\ud83d \uDBFF \ude00 \uDFFF \\ \u0041 \"`.split(' ')
const pieces = fc.constantFrom(...escapes, 'ud83d', 'a', '😀')
const jsonTexts = fc.array(pieces, { maxLength: 8 }).map((text) => `{"a":"${text.join('')}"}`)

test('the text of JSON has a lone surrogate if and only if its value has one', () => {
  let found = 0
  fc.assert(
    fc.property(jsonTexts, (text) => {
      const isWhole = JSON.parse(text).a.isWellFormed()
      found += Number(!isWhole)
      expect(hasLoneSurrogate(text), text).toBe(!isWhole)
    }),
    { numRuns: 5_000 },
  )
  expect(found).toBeGreaterThan(500)
})
