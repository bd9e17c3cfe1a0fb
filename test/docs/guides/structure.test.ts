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

