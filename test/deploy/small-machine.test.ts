import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, test } from 'vitest'
import { openEmbeddedPostgres } from '../../src/db/embedded/embedded-postgres.ts'
import { migrate } from '../../src/migrate/migrate.ts'
import { startBenchReceiver } from '../bench/bench-receiver.ts'
import { DATA, fillFinished } from '../bench/fill.ts'
import { openBenchDatabase } from '../bench/open-bench-database.ts'
import { ENCRYPTION_KEY } from '../bench/posthorn-server.ts'
import { startScript } from '../bench/script-process.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from '../bench/tenant.ts'
import { optional } from '../support/left-out.ts'
import { createMemoryGroup, whyNoMemoryGroup } from '../support/memory-group.ts'
import { until } from '../support/until.ts'
import { ROOT } from './command-blocks.ts'

const noGroup = await whyNoMemoryGroup()
const MEBIBYTE = 2 ** 20

test('Linux kills a process that needs more than its group may', optional(noGroup), async () => {
  await using group = await createMemoryGroup(64 * MEBIBYTE)
  const program = 'process.stdin.once("data", () => Buffer.alloc(100 * 2 ** 20, 1))'
  const child = spawn(process.execPath, ['--eval', program], {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  const exited = once(child, 'exit')
  await group.add(child.pid as number)
  child.stdin.end('allocate')
  expect(await exited).toEqual([null, 'SIGKILL'])
  expect(await group.killedCount()).toBe(1)
})

const notLong = process.env['POSTHORN_TEST_LONG']
  ? null
  : 'npm run test:long fills a database with a million deliveries'

/** Not `tmpdir()`: files in memory would count as memory of the program. */
const ON_DISK = '/var/tmp'

const STORED = 1_000_000
const ROUNDS = 3
const SINGLY = 10_000
const IN_BATCHES = 20_000

describe(
  'npm start in 512 MB, with its Postgres and a million deliveries',
  optional(notLong ?? noGroup),
  () => {
    test('delivers every event of a load, and nothing is killed', {
      timeout: 1_800_000,
    }, async () => {
      await using resources = new AsyncDisposableStack()
      const folder = await mkdtemp(path.join(ON_DISK, 'posthorn-small-'))
      resources.defer(() => rm(folder, { recursive: true }))
      const receiver = resources.use(await startBenchReceiver())
      const { token, type } = await fillDatabase(folder, receiver.url)
      const group = resources.use(await createMemoryGroup(512 * MEBIBYTE))

      const authorityFile = path.join(folder, 'receiver.pem')
      await writeFile(authorityFile, receiver.authority)
      const npm = spawn('npm', ['start'], {
        cwd: ROOT,
        env: {
          PATH: process.env['PATH'],
          PORT: '0',
          POSTHORN_DATA_DIR: folder,
          POSTHORN_ENCRYPTION_KEYS: ENCRYPTION_KEY,
          POSTHORN_EGRESS_ALLOW: '127.0.0.0/8',
          POSTHORN_EGRESS_CA_FILE: authorityFile,
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      await group.add(npm.pid as number)
      const exited = once(npm, 'exit')
      resources.defer(async () => {
        npm.kill()
        await exited
      })
      let url = ''
      const troubles: string[] = []
      createInterface(npm.stderr).on('line', (line) => {
        if (line.includes('"msg":"ready"')) url = JSON.parse(line).url
        if (/"level":"(warn|error|fatal)"/.test(line)) troubles.push(line)
      })
      await until(() => url !== '' || npm.exitCode !== null, 'the server is ready', 120_000)

      const publisher = resources.use(startScript('publisher-main.ts'))
      const target = { url, token, type, data: DATA, connections: 50 }
      for (let round = 1; round <= ROUNDS; round++) {
        await publisher.call('publishNumber', { ...target, batch: null, count: SINGLY })
        await publisher.call('publishNumber', { ...target, batch: 100, count: IN_BATCHES })
        await receiver.waitUntilReceived('ok', round * (SINGLY + IN_BATCHES))
      }
      const all = STORED + ROUNDS * (SINGLY + IN_BATCHES)
      await until(async () => (await countSucceeded(folder)) === all, 'all have succeeded', 60_000)
      expect(await group.killedCount()).toBe(0)
      expect(troubles).toEqual([])
    })
  },
)

/** Stores deliveries of the last four weeks, as a Postgres keeps them that has run for long. */
async function fillDatabase(folder: string, receiverUrl: string) {
  await using postgres = await openEmbeddedPostgres(folder)
  await using database = openBenchDatabase(postgres.localUrl)
  await migrate(database.pool)
  await using services = openBenchServices(postgres.localUrl)
  const tenant = await createBenchTenant(services)
  const types = await addWebhooks(services, tenant, receiverUrl, 'ok')
  await fillFinished(database.pool, tenant, types, STORED)
  await database.pool.query('vacuum analyze')
  return { token: tenant.token, type: types[0] as string }
}

async function countSucceeded(folder: string): Promise<number> {
  // It runs already.
  await using postgres = await openEmbeddedPostgres(folder)
  await using database = openBenchDatabase(postgres.localUrl, { maxConnections: 1 })
  const { rows } = await database.pool.query(
    `select count(*)::int as count from posthorn.deliveries where state = 'succeeded'`,
  )
  return rows[0].count
}
