import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasLoneSurrogate, rejectLoneSurrogates } from '../../src/lib/lone-surrogates.ts'

function issuesOf(value: object) {
  try {
    rejectLoneSurrogates(value)
    return []
  } catch (error) {
    return (error as { issues: { path: unknown[] }[] }).issues
  }
}

/** Texts in which escapes, pairs, halves and backslashes meet in every order. */
const escapes = String.raw`\ud83d \uDBFF \ude00 \uDFFF \\ \u0041 \"`.split(' ')
const pieces = fc.constantFrom(...escapes, 'ud83d', 'a', '😀')
const jsonTexts = fc.array(pieces, { maxLength: 8 }).map((text) => `{"a":"${text.join('')}"}`)

test('the text of JSON has a lone surrogate if and only if its value has one', () => {
  let found = 0
  fc.assert(
    fc.property(jsonTexts, (text) => {
      const issues = issuesOf(JSON.parse(text))
      found += issues.length
      expect(hasLoneSurrogate(text), text).toBe(issues.length > 0)
    }),
    { numRuns: 5_000 },
  )
  expect(found).toBeGreaterThan(500)
})
