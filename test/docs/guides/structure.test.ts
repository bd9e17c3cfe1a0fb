import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')

/** The guides that tests follow from the top to the bottom. */
const GUIDES = globSync('test/docs/guides/*.test.ts', { cwd: ROOT }).flatMap((file) =>
  [...read(file).matchAll(/^followGuide\('([\w-]+)'/gm)].map(([, name = '']) => name),
)

test('a test follows every guide by task', () => {
  const begun = globSync('docs/guides/*.md', { cwd: ROOT })
    .filter((page) => read(page).includes('At the end of this guide'))
    .map((page) => path.basename(page, '.md'))
  expect(GUIDES.toSorted()).toEqual([...begun, 'troubleshoot'].toSorted())
})

test.each(GUIDES)(
  '%s says what the reader will have, ends with what to check and where to go on',
  (guide) => {
    const page = read(`docs/guides/${guide}.md`)
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
    expect(page.split('\n')[0]).toMatch(/^# [A-Z]/)
    // The first paragraph is also what lists of pages show.
    expect(page.split('\n')[2]).toMatch(/^(At the end of this guide|Find what you see)/)
    expect(headings.at(-1)).toBe('Where to go on')
    expect(page).toMatch(/^## (Check|10\. A delivery, from one end to the other)$/m)
  },
)

test('the figures of docs/compare.md that a bench repeats are those of the page about performance', () => {
  const [, memory = ''] =
    /^\| M \| resident memory after these 43,000 deliveries \|[^|]*\| (.+) \|$/m.exec(
      read('docs/reference/performance.md'),
    ) ?? []
  expect(memory).toMatch(/MiB$/)
  expect(read('docs/compare.md')).toContain(`after 43,000 deliveries | ${memory} |`)
})

test('docs/compare.md names its sources: every fact about another program in the table is a link', () => {
  const table = /^\| \| Posthorn .*\n\|[ -|]+\n((?:\|.*\n)+)/m.exec(read('docs/compare.md'))?.[1]
  const facts = (table ?? '')
    .trimEnd()
    .split('\n')
    .flatMap((row) => {
      const [name = '', , ...others] = row.slice(1, -1).split('|')
      return others.map((cell) => `${name.trim()}: ${cell.trim()}`)
    })
  expect(facts.length).toBeGreaterThan(35)
  const unsourced = facts.filter((fact) => !fact.endsWith(': ') && !fact.includes('](https://'))
  expect(unsourced).toEqual([])
})
