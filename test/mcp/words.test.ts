import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { STATUSES as CONSOLE_STATUSES, HINTS } from '../../src/console/deliveries/failure-hints.ts'
import { CODES, STATUSES, wordsFor } from '../../src/mcp/failure-words.ts'

test('a tool says of an error code what the console says, and what the page of deliveries says', () => {
  expect(mapped(CODES, ({ check }) => check)).toEqual(HINTS)
  const page = readFileSync('docs/concepts/deliveries.md', 'utf8')
  for (const [code, { means }] of Object.entries(CODES)) {
    const [, documented = ''] = new RegExp(`^\\| \`${code}\` \\| (.+?) \\|`, 'm').exec(page) ?? []
    const plain = documented
      .replace(/ \[More\]\([^)]*\)/, '')
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    expect(means, code).toBe(plain)
  }
})

test('a tool says of a status what the console says', () => {
  expect(mapped(STATUSES, ({ means, check }) => ({ sentence: means, hint: check }))).toEqual(
    CONSOLE_STATUSES,
  )
})

test('every cause has words, also one that has none of its own', () => {
  expect(wordsFor('418')).toBe(STATUSES['4xx'])
  expect(wordsFor('599')).toBe(STATUSES['5xx'])
  expect(wordsFor('304')).toBe(STATUSES['3xx'])
  expect(wordsFor('299')).toBe(STATUSES['other'])
  expect(wordsFor('no_such_code')).toBeNull()
})

function mapped<In, Out>(record: Readonly<Record<string, In>>, to: (value: In) => Out) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, to(value)]))
}
