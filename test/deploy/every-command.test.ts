import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { blockOf, COMMAND_BLOCKS, OPERATORS_PAGES, ROOT } from './command-blocks.ts'

/** The parts of blocks that tests run, by page. */
const tested = globSync('test/deploy/*.test.ts', { cwd: ROOT }).flatMap((file) =>
  [
    ...readFileSync(path.join(ROOT, file), 'utf8').matchAll(
      /blockOf\(\s*'([\w-]+\.md)',\s*(['"])(.+?)\2,?\s*\)/g,
    ),
  ].map(([, page = '', , part = '']) => ({ page, part })),
)

/** Pages whose SQL test/docs/facts.test.ts runs. */
const SQL_PAGES = ['job-dashboards.md', 'operating.md', 'runbook.md']

/** Languages whose only block test/server/proxies.test.ts runs. */
const OF_PROXIES = ['nginx', 'caddyfile']

test.each(COMMAND_BLOCKS.map((block) => [block.page, block.text.split('\n')[0], block] as const))(
  'a test runs the block of %s that begins with: %s',
  (page, _line, { language, text }) => {
    if (language === 'sql' && SQL_PAGES.includes(page)) return
    // A picture.
    if (OF_PROXIES.includes(language) || language === 'text') return
    const tests = tested.filter((one) => one.page === page && text.includes(one.part))
    expect(tests.length).toBeGreaterThan(0)
  },
)

/**
 * They only look at a machine, or name a command that a block has whole. Tests of the pages run those with jq, and those of
 * Posthorn.
 */
const IN_SENTENCES =
  /^(jq|journalctl|systemctl|kubectl get|docker compose( ps)?$|helm rollback$|npx posthorn|psql "\$DATABASE_URL"$)/

test('a command with arguments stands in a block, not in a sentence', () => {
  const commands = OPERATORS_PAGES.flatMap((file) => {
    const sentences = readFileSync(path.join(ROOT, file), 'utf8').replaceAll(/^```.*?^```/gms, '')
    return [...sentences.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
  })
  const inSentences = commands.filter((code) =>
    /^(curl|docker|helm|journalctl|jq|kubectl|npx|pg_\w+|psql|systemctl|select|show) /.test(code),
  )
  expect(inSentences.filter((code) => !IN_SENTENCES.test(code))).toEqual([])
  expect(inSentences.length).toBeGreaterThan(5)
})

test('a block that no page has, or that two blocks could be, is an error', () => {
  expect(() => blockOf('backups.md', 'restore from tape')).toThrow(/^0 blocks/)
  expect(() => blockOf('backups.md', 'pg_')).toThrow(/^\d+ blocks/)
})
