import { expect, test } from 'vitest'
import { SCOPES } from '../../src/access/scope.ts'
import { createTestDatabase } from '../support/database.ts'
import { blocksOf, read } from './support/pages.ts'

test('docs/security/security.md describes each scope', () => {
  const listed = [...read('docs/security/security.md').matchAll(/^\| `([a-z:]+)` \|/gm)]
  expect(listed.map(([, scope]) => scope)).toEqual(SCOPES)
})

test.each([
  'docs/operate/job-dashboards.md',
  'docs/operate/operating.md',
  'docs/operate/runbook.md',
])('the SQL of %s runs', async (page) => {
  await using database = await createTestDatabase()
  const blocks = blocksOf(page).filter(({ language }) => language === 'sql')
  expect(blocks.length).toBeGreaterThan(2)
  for (const { text } of blocks) await database.pool.query(text)
})

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
