import fc from 'fast-check'
import { expect, test } from 'vitest'
import { differenceOfLines } from '../../../src/console/lib/line-difference.ts'

const shown = (before: string, after: string) =>
  differenceOfLines(before, after).map(({ kind, text }) => `${MARKS[kind]}${text}`)

const MARKS = { same: ' ', removed: '-', added: '+' }

test('a line that was added stands between those that stayed', () => {
  expect(shown('{\n  id\n}', '{\n  id\n  total\n}')).toEqual([' {', '   id', '+  total', ' }'])
})

test('a line that was changed is removed and added', () => {
  expect(shown('a\nb\nc', 'a\nB\nc')).toEqual([' a', '-b', '+B', ' c'])
})

test('a text that is new or gone has only lines of one kind', () => {
  expect(shown('', 'a\nb')).toEqual(['+a', '+b'])
  expect(shown('a\nb', '')).toEqual(['-a', '-b'])
})

const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 8 }).map((l) => l.join('\n'))

test('both texts can be read from their difference', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = differenceOfLines(before, after)
      const side = (other: string) =>
        lines.flatMap(({ kind, text: line }) => (kind === other ? [] : [line])).join('\n')
      expect(side('added')).toBe(before)
      expect(side('removed')).toBe(after)
    }),
  )
})

test('very long texts are compared as a whole', () => {
  const long = (word: string) => Array.from({ length: 1_001 }, () => word).join('\n')
  const lines = differenceOfLines(long('a'), long('b'))
  expect(lines).toHaveLength(2_002)
  expect(lines[0]).toEqual({ kind: 'removed', text: 'a' })
})
