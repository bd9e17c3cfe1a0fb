import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { lastRelease, unmarkedBreakingChanges } from './support/breaking-changes.ts'

const root = path.join(import.meta.dirname, '../..')

test('changes that break clients of the last release are in the changelog', async ({ skip }) => {
  const release = await lastRelease(root)
  if (!release) return skip('There is no release to compare with, or no history in this clone.')
  const read = (name: string) => readFile(path.join(root, name), 'utf8')
  const changes = await unmarkedBreakingChanges(
    release,
    await read('schema.graphql'),
    await read('CHANGELOG.md'),
  )
  expect(changes, `Name these paths under a heading "Breaking" in CHANGELOG.md`).toEqual([])
})

describe('a change of the schema', () => {
  const before = `
    type Query { webhook(id: ID!): Webhook, webhooks(first: Int): [Webhook!]! }
    type Webhook { id: ID!, url: String!, note: String }
    enum State { ON OFF }
    input Change { url: String }
  `
  const check = (current: string, changelog = '## Unreleased\n\n- Something.\n') =>
    unmarkedBreakingChanges({ tag: 'v1.2.0', schema: before }, current, changelog)

  test.each([
    ['a field removed', before.replace(', note: String', ''), 'Webhook.note'],
    ['an argument required', before.replace('first: Int', 'first: Int!'), 'Query.webhooks.first'],
  ])(
    'that breaks clients, %s, fails unless the changelog names it',
    async (_what, after, changed) => {
      expect(await check(after)).toEqual([expect.stringContaining(`${changed}: `)])
      const marked = `## Unreleased\n\n### Breaking\n\n- \`${changed}\` is different.\n\n### Added\n`
      expect(await check(after, marked)).toEqual([])
    },
  )

  test.each([
    ['a field added', before.replace('id: ID!,', 'id: ID!, added: Int,')],
    ['nothing', before],
  ])('that breaks no client passes: %s', async (_what, after) => {
    expect(await check(after)).toEqual([])
  })

  test('counts as marked only since the release, and only under "Breaking"', async () => {
    const after = before.replace(', note: String', '')
    const unmarked = [
      '## Unreleased\n\n### Breaking\n\n- Webhook.note, not as code.\n',
      '## Unreleased\n\n### Added\n\n- `Webhook.note`\n',
      '## Unreleased\n\n### Breaking\n\n- `Webhook`\n\n### Added\n\n- `Webhook.note`\n',
      '## Unreleased\n\n## 1.2.0\n\n### Breaking\n\n- `Webhook.note`\n',
    ]
    for (const changelog of unmarked) expect(await check(after, changelog)).toHaveLength(1)
    // While the next release is prepared.
    const prepared = '## Unreleased\n\n## 2.0.0\n\n### Breaking\n\n- `Webhook.note`\n\n## 1.2.0\n'
    expect(await check(after, prepared)).toEqual([])
  })
})

test('the last release is the newest version tag before the commit, with its schema', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'posthorn-release-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const git = (...args: string[]) =>
    promisify(execFile)('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: directory,
    })
  const commit = async (schema: string) => {
    await writeFile(path.join(directory, 'schema.graphql'), schema)
    await git('add', '.')
    await git('commit', '-m', schema)
  }
  expect(await lastRelease(directory)).toBeNull()
  await git('init', '-q')
  await commit('one')
  expect(await lastRelease(directory)).toBeNull()
  await git('tag', 'v1.0.0')
  await commit('two')
  await git('tag', 'nightly')
  expect(await lastRelease(directory)).toEqual({ tag: 'v1.0.0', schema: 'one' })
})
