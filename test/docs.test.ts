import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { SCOPES } from '../src/access/scope.ts'
import { createTestDatabase } from './support/database.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PAGES = [
  ...globSync('*.md', { cwd: ROOT }),
  ...globSync('docs/{*,operate/*}.md', { cwd: ROOT }),
]

const read = (page: string) => readFileSync(path.join(ROOT, page), 'utf8')

test.each(PAGES)('every link of %s to a local file or heading works', (page) => {
  const broken = linksOf(page).filter((link) => {
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? page : path.join(path.dirname(page), file)
    if (!existsSync(path.join(ROOT, target))) return true
    return anchor !== undefined && !anchorsOf(target).includes(anchor)
  })
  expect(broken).toEqual([])
})

test('every page that a file of deploy names exists, with the heading, such as those of the alerts', () => {
  const files = globSync('deploy/**/*.{json,sql,service,txt,yaml,yml}', { cwd: ROOT })
  const named = files.flatMap((file) =>
    [...read(file).matchAll(/(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)].map(([, page = '', anchor]) => ({
      file,
      page,
      anchor,
    })),
  )
  const broken = named.filter(
    ({ page, anchor }) =>
      !PAGES.includes(page) || (anchor !== undefined && !anchorsOf(page).includes(anchor)),
  )
  expect(broken).toEqual([])
  expect(named.filter(({ anchor }) => anchor !== undefined).length).toBeGreaterThan(15)
})

test('docs/security.md describes each scope', () => {
  const listed = [...read('docs/security.md').matchAll(/^\| `([a-z:]+)` \|/gm)]
  expect(listed.map(([, scope]) => scope)).toEqual(SCOPES)
})

test.each(['docs/job-dashboards.md', 'docs/operating.md', 'docs/operate/runbook.md'])(
  'the SQL of %s runs',
  async (page) => {
    await using database = await createTestDatabase()
    const blocks = sqlIn(read(page))
    expect(blocks.length).toBeGreaterThan(2)
    for (const sql of blocks) await database.pool.query(sql)
  },
)

test('the cores in docs/operate/sizing.md follow from the costs above them, rounded up', () => {
  const page = read('docs/operate/sizing.md')
  const cells = (row: RegExp) => (row.exec(page)?.[0] ?? '').split('|').map((cell) => cell.trim())
  const numbers = (row: RegExp) => cells(row).map((cell) => Number.parseFloat(cell) || 0)
  const [, , , api = 0, ofPublishing = 0] = numbers(/^\| publish, 100 .*$/m)
  const [, , worker = 0, , ofDelivering = 0] = numbers(/^\| deliver: .*$/m)
  const microseconds = [worker, api, ofPublishing + ofDelivering]
  expect(microseconds.every((cost) => cost > 0)).toBe(true)
  for (const [row, perSecond] of [
    [/^\| 10,000,000 .*$/m, 350],
    [/^\| 100,000,000 .*$/m, 3_500],
    [/^\| 1,000,000,000 .*$/m, 35_000],
  ] as const) {
    expect(cells(row)[3]).toBe(`${perSecond.toLocaleString('en')}/s`)
    for (const [i, cores] of numbers(row).slice(4, 7).entries()) {
      const needed = ((microseconds[i] ?? 0) * perSecond) / 1e6
      expect(cores).toBeGreaterThanOrEqual(needed)
      expect(cores).toBeLessThan(1.3 * needed)
    }
  }
})

function sqlIn(text: string): string[] {
  return [...text.matchAll(/^```sql\n(.*?)^```/gms)].map(([, sql = '']) => sql)
}

/** The links to local files and headings. */
function linksOf(page: string): string[] {
  const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return [...new Set(links)].filter((link) => !/^[a-z]+:/.test(link))
}

/** The anchors that GitHub creates for the headings of a page. */
function anchorsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}
