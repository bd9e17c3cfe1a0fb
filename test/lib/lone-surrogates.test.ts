import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
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
const pieces = fc.constantFrom(
  String.raw`\ud83d`,
  String.raw`\uDBFF`,
  String.raw`\ude00`,
  String.raw`\uDFFF`,
  String.raw`\\`,
  String.raw`\u0041`,
  String.raw`\"`,
  'ud83d',
  'a',
  '😀',
)
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

describe('rejectLoneSurrogates', () => {
  test('names each place', () => {
    const value = { 'a\ud800': 1, b: ['x', { c: '\udc00' }], d: '\ud83d\ude00', e: null }
    expect(issuesOf(value)).toMatchObject([
      { path: ['a\ufffd'], code: 'lone_surrogate' },
      { path: ['b', 1, 'c'], code: 'lone_surrogate' },
    ])
  })

  test('lists the first 10 of many', () => {
    expect(issuesOf({ a: Array(50).fill('\ud800') })).toHaveLength(10)
  })

  test('shortens the path to a deep place, and long keys in it', () => {
    let value: object = { x: '\ud800' }
    for (let i = 0; i < 100_000; i++) value = { ['k'.repeat(200)]: value }
    const [issue] = issuesOf(value)
    expect(issue?.path).toEqual(Array(32).fill('k'.repeat(128)))
  })
})
