import { expect, test } from 'vitest'
import { SCOPES } from '../../src/auth/access/scope.ts'
import { createTestDatabase } from '../support/database.ts'
import { blocksOf, read } from './support/pages.ts'

test('docs/security/security.md describes each scope', () => {
  const listed = [...read('docs/security/security.md').matchAll(/^\| `([a-z:]+)` \|/gm)]
  expect(listed.map(([, scope]) => scope)).toEqual(SCOPES)
})

// test/security/other-roles.test.ts runs that of docs/operate/runbook.md.
test.each(['docs/operate/job-dashboards.md', 'docs/operate/operating.md'])(
  'the SQL of %s runs',
  async (page) => {
    await using database = await createTestDatabase()
    const blocks = blocksOf(page).filter(({ language }) => language === 'sql')
    expect(blocks.length).toBeGreaterThan(2)
    for (const { text } of blocks) await database.pool.query(text)
  },
)
