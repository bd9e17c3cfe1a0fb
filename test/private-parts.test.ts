import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { filesOf } from './support/files.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SELF = 'test/private-parts.test.ts'

/** What an upgrade of a dependency may rename or drop, as it is documented nowhere. */
const PRIVATE: Readonly<Record<string, RegExp>> = {
  "graphile-worker's tables": /_private_|\bknown_crontab\b|\bjob_queues\b/,
  "graphile-worker's fields": /\breceivedJobs\b|\brefetchDelay\b/,
  "pg's fields": /\b_(activeQuery|queryQueue|ending|connected|clients|idle|pendingQueue)\b/,
  "undici's fields": /\bkSocket\b|\bSymbol\(undici/,
  "Prisma's engines": /__wbg|\b_engineConfig\b|\b_originalClient\b/,
  'the transaction ids that Postgres keeps in rows': /\b(xmin|xmax)\b/,
  "V8's flags":
    /\bsetFlagsFromString\b|v8-pool-size|heap-growing-percent|--(no-)?(sparkplug|maglev|turbofan|opt)\b/,
  "Node's internals": /internalBinding|\bmodule\._|\bModule\._/,
  "a member of somebody's that begins with an underscore": /[\w)\]]\??\._[a-zA-Z]/,
}

/** The two tables of others that Posthorn reads or writes, and where it does. */
const EXCEPTIONS = [
  {
    name: "Prisma's bookkeeping",
    pattern: /_prisma_migrations/,
    files: [
      'src/db/migrate/migrations.ts',
      'test/db/migrate/migrate.test.ts',
      'test/db/schema.test.ts',
      'test/security/database-functions.test.ts',
      'test/security/roles.test.ts',
    ],
  },
  {
    name: "graphile-worker's migrations",
    pattern: /(worker|user"|\bapp|Schema\)\}|schema\})\.migrations\b|relname = 'migrations'/,
    files: [
      'src/queue/worker-schema.ts',
      'test/db/migrate/neighbor.slow.test.ts',
      'test/db/worker-schema.test.ts',
      'test/security/other-roles.test.ts',
      'test/security/roles.test.ts',
    ],
  },
]

const FOLDERS = ['src', 'packages', 'prisma', 'test', 'deploy']
const FILES = ['package.json', '.env.example', 'prisma.config.ts']
const texts = new Map<string, string>()
for (const file of [...(await filesOf(ROOT, FOLDERS)), ...FILES]) {
  if (file !== SELF) texts.set(file, await readFile(path.join(ROOT, file), 'utf8'))
}

/** The lines that match, but for what the exceptions allow. */
function namesIn(pattern: RegExp): string[] {
  return [...texts].flatMap(([file, text]) =>
    text.split('\n').flatMap((line, i) => {
      const allowed = EXCEPTIONS.filter((exception) => exception.files.includes(file))
      const rest = allowed.reduce((left, exception) => left.replace(exception.pattern, ''), line)
      return pattern.test(rest) ? [`${file}:${i + 1}: ${line.trim()}`] : []
    }),
  )
}

test.each(Object.entries(PRIVATE))('no source, migration or test names %s', (_, pattern) => {
  expect(namesIn(pattern)).toEqual([])
})

describe.each(EXCEPTIONS)('$name', ({ pattern, files: allowed }) => {
  test('is named in one source, and in its tests', () => {
    const found = [...texts].filter(([, text]) => pattern.test(text)).map(([file]) => file)
    expect(found.filter((file) => !allowed.includes(file))).toEqual([])
    expect(found.filter((file) => file.startsWith('src/'))).toHaveLength(1)
  })
})

test.each([
  'delete from graphile_worker._private_jobs',
  'runner.receivedJobs',
  'client._activeQuery',
  'where s.xmin <> $1',
  "setFlagsFromString('--no-opt')",
  'localQueue: { refetchDelay: {} }',
  '--v8-pool-size=1',
  '__wbg_set_wasm(wasm)',
])('%s would be found', (line) => {
  expect(Object.values(PRIVATE).some((pattern) => pattern.test(line))).toBe(true)
})

test('every source, migration and test was read', () => {
  const read = new Set([...texts.keys()].map((file) => file.split('/')[0]))
  for (const one of [...FOLDERS, ...FILES]) expect(read).toContain(one)
  expect(texts.size).toBeGreaterThan(500)
})
