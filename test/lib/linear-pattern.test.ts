import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { linearPattern } from '../../src/lib/linear-pattern.ts'

/** Where RE2 reads a pattern differently, or takes other names. Each text matches or not as in ECMA-262. */
const TEXTS = [
  ...['', 'a', 'A', 'a\n', 'a\nb', 'aa', '1', '٣', '_', '-', '[', ']', '.', '\\', 'é', 'É', 'α'],
  ...['😀', '\b', '\0'],
  ...'\n\r\t\v\f \u00a0\u0085\u1680\u2003\u2028\u2029\u3000\ufeff\u200b',
]

describe('a pattern matches the texts that it matches in ECMA-262', () => {
  test.each([
    ...['\\d', '\\D', '\\w', '\\W', '\\bé', 'a\\b', '\\s', '\\S', '^\\S+$', '[\\s]', '[^\\s]'],
    ...['[\\S]', '[^\\S]', '[\\s\\S]', '^[\\w-]$', '.', '^.$', '[.]', '\\.', '[^]', '[]', '[[]'],
    ...['[\\].]', '[\\\\.]', '\\\\.', 'a$', '^b', '^$', '\\p{L}', '\\P{Lu}', '[^\\P{L}]', '\\0'],
    ...['\\p{Script=Greek}', '\\p{sc=Greek}', '\\p{gc=Lu}', '\\p{General_Category=Lu}', '\\cJ'],
    ...['\\p{Alphabetic}', '\\p{Emoji}', '\\u{1F600}', '\\ud83d\\ude00', '[😀a]', '^\\u0041$'],
    ...['[\\b]', '^(?<letter>a)$', '(?:a|b)*?$', 'a{2}', '\\/', '[(?i]', '\\x41', '(?:)'],
  ])('%s', (pattern) => {
    const native = new RegExp(pattern, 'u')
    const linear = linearPattern(pattern)
    const differing = TEXTS.filter((text) => linear.test(text) !== native.test(text))
    expect(differing).toEqual([])
  })

  const part = fc.constantFrom(
    ...['a', 'b', '.', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '[ab]', '[^a]', '[^\\s]', '[\\S]'],
    ...['^', '$', '\\b', '\\p{L}', '[^\\P{L}]', '\\ud83d\\ude00', '[😀a]', '[[]', '[\\].]', '[^]'],
  )
  const repetition = fc.constantFrom('', '*', '+', '?', '{2}', '{1,}', '{0,3}', '*?', '??')
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 3 },
      fc.tuple(part, repetition).map(([inner, repeated]) => `(?:${inner})${repeated}`),
      fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('')),
      fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(?:${left}|${right})`),
      fc.tuple(tie('pattern'), repetition).map(([inner, repeated]) => `(${inner})${repeated}`),
    ),
  }))
  const text = fc.array(fc.constantFrom(...TEXTS), { maxLength: 4 }).map((parts) => parts.join(''))

  test('any pattern of these parts', () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 5 }), (source, texts) => {
        const native = new RegExp(source, 'u')
        const linear = linearPattern(source)
        for (const one of texts) expect(linear.test(one)).toBe(native.test(one))
      }),
      { numRuns: 2_000 },
    )
  })
})

test.each(['^(a+)+$', '(x+x+)+y', '^(a|a)*$', '(?:a|a?)+$', '(a|b)*c'])(
  '%s, which can take hours by backtracking, ends',
  (pattern) => {
    expect(linearPattern(pattern).test(`${'a'.repeat(200_000)}!`)).toBe(pattern === '(?:a|a?)+$')
  },
)

test.each([
  ['look-ahead', '^(?=.*\\d)'],
  ['negative look-ahead', '^(?!admin)'],
  ['look-behind', '(?<=a)b'],
  ['negative look-behind', '(?<!a)b'],
  ['a back-reference', '(a)\\1'],
  ['a named back-reference', '(?<n>a)\\k<n>'],
  ['flags', '(?i:a)'],
  ['more than 1,000 repetitions', 'a{1001}'],
  ['a name that RE2 does not know', '\\p{Script_Extensions=Greek}'],
])('%s is rejected with the pattern and the remedy', (_what, pattern) => {
  expect(() => new RegExp(pattern, 'u')).not.toThrow()
  expect(() => linearPattern(pattern)).toThrow(
    `the pattern ${JSON.stringify(pattern)} cannot be checked in linear time`,
  )
  expect(() => linearPattern(pattern)).toThrow(/write it without look-around/)
})

test.each([
  '(',
  '\\-',
  '^[\\w-.]+$',
  '\\z',
  'a{,2}',
  '\\Qa\\E',
  '[[:alpha:]]',
  '(?P<n>a)',
  '\\x{41}',
  '\\pL',
])('%s, which is no pattern of ECMA-262, is rejected with the cause and the remedy', (pattern) => {
  expect(() => linearPattern(pattern)).toThrow(/^Invalid regular expression: .*; write \\- for/)
})
