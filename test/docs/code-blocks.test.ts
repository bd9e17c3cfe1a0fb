import { execFile } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { buildSchema, parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import { type Block, blocksOf, PAGES, ROOT, read } from './support/pages.ts'

/**
 * The blocks of code that have a test of their own, and those that none runs, by page and language: the file of the test,
 * which runs them or what they say, or the reason. The guides that `test/docs/guides` follows are not listed.
 */
const OWN_TESTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'CONTRIBUTING.md': { mermaid: 'A picture.' },
  'docs/start/your-application.md': { ts: 'test/docs/first-pages.test.ts' },
  'docs/guides/test-your-receiver.md': { ts: 'test/release/posthorn-package.test.ts' },
  'docs/operate/backups.md': { sql: 'test/deploy/backup-commands.test.ts' },
  'docs/operate/deploying.md': { ini: 'A drop-in for systemd.', yaml: 'test/deploy/helm.test.ts' },
  'docs/operate/monitor.md': {
    sql: 'test/security/other-roles.test.ts',
    yaml: 'Configurations of Prometheus.',
  },
  'docs/operate/operating.md': {
    nginx: 'test/server/proxies.test.ts',
    caddyfile: 'test/server/proxies.test.ts',
  },
  'docs/operate/runbook.md': { sql: 'test/security/other-roles.test.ts' },
}

const blocks = PAGES.flatMap(blocksOf)

/** Pictures of output, and files of other programs, which the tests of these programs read. */
const TEXTS = new Set(['text', 'http'])

const PROGRAMS = ['ts', 'tsx', 'js', 'jsx']

/** The guides that `test/docs/guides` follows from the top to the bottom. */
const FOLLOWED = new Set(
  globSync('test/docs/guides/*.test.ts', { cwd: ROOT }).flatMap((file) =>
    [...read(file).matchAll(/^followGuide\('([\w-]+)'/gm)].map(
      ([, name]) => `docs/guides/${name}.md`,
    ),
  ),
)

const ownTest = ({ page, language }: Block) => FOLLOWED.has(page) || OWN_TESTS[page]?.[language]

const withoutOwnTest = (...languages: readonly string[]) =>
  blocks.filter((block) => languages.includes(block.language) && !ownTest(block))

const place = ({ page, line }: Block) => `${page}:${line}`

test('every block of code has a language that a test knows', () => {
  const known = new Set([...TEXTS, ...PROGRAMS, 'sh', 'graphql', 'json'])
  const unknown = blocks.filter((block) => !known.has(block.language) && !ownTest(block))
  expect(
    unknown.map((block) => `${place(block)}: ${block.language || 'no language'}`),
    'Name the language, or the test that runs the block, in OWN_TESTS.',
  ).toEqual([])
})

test('every block of SQL and of a program has a test that runs the block', () => {
  const untested = withoutOwnTest('sql', 'python', ...PROGRAMS)
  expect(
    [...new Set(untested.map(({ page, language }) => `${page}: ${language}`))],
    'Name the test in OWN_TESTS.',
  ).toEqual([])
})

test('every test that is named exists and reads its page, and every page and language exists', () => {
  const wrong = Object.entries(OWN_TESTS).flatMap(([page, languages]) =>
    Object.entries(languages).flatMap(([language, by]) => {
      const used = PAGES.includes(page) && blocksOf(page).some((one) => one.language === language)
      if (!used) return [`${page} has no block in ${language}.`]
      if (!by.startsWith('test/')) return by.endsWith('.') ? [] : [`${page}: "${by}" is no reason.`]
      return existsSync(path.join(ROOT, by)) ? [] : [`${page}: ${by} does not exist.`]
    }),
  )
  expect(wrong).toEqual([])
})

test('a test follows every guide, but for those that show pages or other programs', () => {
  const guides = PAGES.filter((page) => page.startsWith('docs/guides/'))
  expect(guides.filter((page) => !FOLLOWED.has(page)).toSorted()).toEqual([
    'docs/guides/console.md',
    'docs/guides/moving-in.md',
  ])
})

test('every block of commands is valid in bash', async () => {
  const wrong: string[] = []
  for (const block of blocks.filter(({ language }) => language === 'sh')) {
    await promisify(execFile)('bash', ['-n', '-c', block.text]).catch(({ stderr }) => {
      wrong.push(`${place(block)}: ${stderr}`)
    })
  }
  expect(wrong).toEqual([])
})

test('every block of JSON is JSON', () => {
  for (const block of withoutOwnTest('json')) {
    expect.soft(() => JSON.parse(block.text), place(block)).not.toThrow()
  }
})

const schema = buildSchema(read('schema.graphql'))

test('every GraphQL operation is valid', () => {
  const wrong = withoutOwnTest('graphql').flatMap((block) =>
    graphqlErrors(block.text).map((message) => `${place(block)}: ${message}`),
  )
  expect(wrong).toEqual([])
})

/** Several operations in one block are tried one by one, so they need no names. */
function graphqlErrors(text: string): string[] {
  try {
    const { definitions } = parse(text)
    const fragments = definitions.filter(({ kind }) => kind === 'FragmentDefinition')
    const operations = definitions.filter(({ kind }) => kind === 'OperationDefinition')
    return operations
      .flatMap((operation) =>
        validate(schema, { kind: 'Document' as never, definitions: [operation, ...fragments] }),
      )
      .map(({ message }) => message)
      .filter((message) => !/^Fragment .* is never used/.test(message))
  } catch (error) {
    return [(error as Error).message]
  }
}
