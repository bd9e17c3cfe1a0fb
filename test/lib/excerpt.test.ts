import { expect, test } from 'vitest'
import { oneLine } from '../../src/lib/excerpt.ts'

test.each([
  ['line breaks', 'a\r\n\nb\u2028c\u2029d\u0085e\vf', 'a b c d e f'],
  ['control characters', 'a\0b\u001bc\u007fd\u009fe', 'a b c d e'],
  ['blanks of any width', ' a\t\u00a0\u3000b ', 'a b'],
  ['bidirectional controls', '\u202eab\u2066c\u2069\u200fd\u061ce', 'abcde'],
  ['invisible characters', 'a\u200bb\u200dc\ufeffd\u00ade\u3164f\u{e0041}', 'abcdef'],
  ['half of a surrogate pair', 'a\ud800b', 'a b'],
])('one line has no %s', (_, text, expected) => {
  expect(oneLine(text, 100)).toBe(expected)
})

test('one line keeps what people write, and says that it is shortened', () => {
  for (const text of ['Zoë & Søn, 東京 <b>', 'مرحبا', '🎉 1.5 €'])
    expect(oneLine(text, 100)).toBe(text)
  expect(oneLine('abcdef', 3)).toBe('abc…')
})
