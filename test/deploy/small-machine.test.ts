import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/db/client.ts'
import { openEmbeddedPostgres } from '../../src/db/embedded/embedded-postgres.ts'
import { migrate } from '../../src/db/migrate/migrate.ts'
import { startBenchReceiver } from '../bench/bench-receiver.ts'
import { DATA, fillFinished } from '../bench/fill.ts'
import { ENCRYPTION_KEY } from '../bench/posthorn-server.ts'
import { startScript } from '../bench/script-process.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from '../bench/tenant.ts'
import { ROOT } from '../docs/support/pages.ts'
import { optional } from '../support/left-out.ts'
import { createMemoryGroup, type MemoryGroup, whyNoMemoryGroup } from '../support/memory-group.ts'
import { until } from '../support/until.ts'

const noGroup = await whyNoMemoryGroup()
const MEBIBYTE = 2 ** 20

/** Not `tmpdir()`: files in memory would count as memory of the program. */
const ON_DISK = '/var/tmp'

test('in 512 MB, both roles and a smaller Postgres deliver', optional(noGroup), async () => {
  await using resources = new AsyncDisposableStack()
  const { publish, receiver, group, folder } = await startInGroup(resources, 0)
  await publish(10, null)
  await receiver.waitUntilReceived('ok', 10, 60_000)
  await using postgres = await openEmbeddedPostgres(folder)
  await using database = openDatabase(postgres.url, { purpose: 'migrations', maxConnections: 1 })
  const { rows } = await database.pool.query('show shared_buffers')
  expect(rows).toEqual([{ shared_buffers: '32MB' }])
  expect(await group.killedCount()).toBe(0)
})

const notLong = process.env['POSTHORN_TEST_LONG']
  ? null
  : 'npm run test:long fills a database with a million deliveries'

const STORED = 1_000_000
const ROUNDS = 3
const SINGLY = 10_000
const IN_BATCHES = 20_000

test('in 512 MB, npm start with its Postgres and a million deliveries delivers every event of a load', {
  ...optional(notLong ?? noGroup),
  timeout: 1_800_000,
}, async () => {
  await using resources = new AsyncDisposableStack()
  const { publish, receiver, group, folder, errors } = await startInGroup(resources, STORED)
  const deliver = async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      await publish(SINGLY, null)
      await publish(IN_BATCHES, 100)
      await receiver.waitUntilReceived('ok', round * (SINGLY + IN_BATCHES), 300_000)
    }
    const all = STORED + ROUNDS * (SINGLY + IN_BATCHES)
    await until(async () => (await countSucceeded(folder)) === all, 'all have succeeded', 60_000)
    return 'everything succeeded'
  }
  const outcome = await deliver().catch(String)
  const killedCount = await group.killedCount()
  expect({ killedCount, errors, outcome }).toEqual({
    killedCount: 0,
    errors: [],
    outcome: 'everything succeeded',
  })
})

/** Starts a server on a database with this many deliveries, in a group of 512 MiB. */
async function startInGroup(resources: AsyncDisposableStack, stored: number) {
  const temporary = await mkdtempDisposable(path.join(ON_DISK, 'posthorn-small-'))
  const folder = resources.use(temporary).path
  const receiver = resources.use(await startBenchReceiver())
  const { token, type } = await fillDatabase(folder, receiver.url, stored)
  const group = resources.use(await createMemoryGroup(512 * MEBIBYTE))
  // A server that is killed leaves its Postgres.
  resources.defer(async () => await (await openEmbeddedPostgres(folder))[Symbol.asyncDispose]())
  const server = resources.use(await startServer(group, folder, receiver.authority))
  const publisher = resources.use(startScript('publisher-main.ts'))
  const target = { url: await server.url(), token, type, data: DATA, connections: 50 }
  return {
    folder,
    receiver,
    group,
    errors: server.errors,
    publish: (count: number, batch: number | null) =>
      publisher.call('publishBackToBack', { by: 'REST', ...target, batch, count }),
  }
}

async function startServer(group: MemoryGroup, folder: string, authority: string) {
  const authorityFile = path.join(folder, 'receiver.pem')
  await writeFile(authorityFile, authority)
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
  const exited = once(npm, 'exit')
  await group.add(npm.pid as number)
  let url = ''
  const errors: string[] = []
  createInterface(npm.stderr).on('line', (line) => {
    if (line.includes('"msg":"ready"')) url = JSON.parse(line).url
    if (/"level":"(error|fatal)"/.test(line)) errors.push(line)
  })
  return {
    errors,
    async url() {
      await until(() => url !== '', 'the server is ready', 120_000)
      return url
    },
    async [Symbol.asyncDispose]() {
      npm.kill()
      await exited
    },
  }
}

/** Stores deliveries of the last four weeks, as a Postgres keeps them that has run for long. */
async function fillDatabase(folder: string, receiverUrl: string, stored: number) {
  await using postgres = await openEmbeddedPostgres(folder)
  await using database = openDatabase(postgres.url, { purpose: 'migrations' })
  await migrate(database.pool)
  await using services = openBenchServices(postgres.url)
  const tenant = await createBenchTenant(services)
  const types = await addWebhooks(services, tenant, receiverUrl, 'ok')
  await fillFinished(database.pool, tenant, types, stored)
  await database.pool.query('vacuum analyze')
  return { token: tenant.token, type: types[0] as string }
}

async function countSucceeded(folder: string): Promise<number> {
  // It runs already.
  await using postgres = await openEmbeddedPostgres(folder)
  await using database = openDatabase(postgres.url, { purpose: 'migrations', maxConnections: 1 })
  const { rows } = await database.pool.query(
    `select count(*)::int as count from posthorn.deliveries where state = 'succeeded'`,
  )
  return rows[0].count
}
