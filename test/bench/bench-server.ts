import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { openEmbeddedPostgres } from '../../src/db/embedded/embedded-postgres.ts'
import { readPostmaster } from '../../src/db/embedded/postmaster.ts'
import { migrate } from '../../src/migrate/migrate.ts'
import { until } from '../support/until.ts'
import { withDatabase } from '../support/with-database.ts'
import { cpuTimeMs } from './cpu-time.ts'

/** A Postgres of the bench's own, in a temporary folder, with a database for each measurement. */
export interface BenchServer extends AsyncDisposable {
  readonly folder: string
  /** A migrated database, dropped when it is disposed of: what one measurement leaves behind slows no other. */
  createDatabase(): Promise<BenchDatabase>
  /** The processor time of the connections that have ended, and of what ran beside them. */
  cpuTimeMs(): Promise<number>
}

export interface BenchDatabase extends AsyncDisposable {
  readonly url: string
  /** Leaves nothing for later of what was filled in: dead rows, missing statistics, unwritten pages. */
  settle(): Promise<void>
  /**
   * The transactions committed since it was made. Waits for those connected to leave, as they count when they do, and
   * so does the processor time that the server knows of.
   */
  transactions(): Promise<number>
}

const TEMPLATE = 'posthorn_template'

/** The processor time of a connection is known once its process is reaped, some time after the connection has ended. */
const REAPED_WITHIN_MS = 100

export async function startBenchServer(databaseUrl?: string): Promise<BenchServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'posthorn-bench-'))
  const cluster = path.join(folder, 'postgres')
  await using started = new AsyncDisposableStack()
  started.defer(() => rm(folder, { recursive: true, force: true }))
  started.defer(() => stopPostgres(cluster))
  // As `posthorn start` reaches it.
  const url = databaseUrl ?? (await openEmbeddedPostgres(folder)).localUrl
  const server = started.use(openDatabase(url))
  started.defer(async () => {
    await server.pool.query(`drop database if exists ${TEMPLATE} with (force)`)
  })
  await server.pool.query(`drop database if exists ${TEMPLATE} with (force)`)
  await server.pool.query(`create database ${TEMPLATE}`)
  {
    await using template = openDatabase(withDatabase(url, TEMPLATE))
    await migrate(template.pool)
  }
  await fillLog(server.pool)
  let made = 0
  const resources = started.move()
  return {
    folder,
    createDatabase: () => createDatabase(server, `posthorn_bench_${made++}`),
    async cpuTimeMs() {
      const pid = (await readPostmaster(cluster))?.pid
      if (pid === undefined) return Number.NaN
      for (let ms = await cpuTimeMs(pid); ; ) {
        await sleep(REAPED_WITHIN_MS)
        const later = await cpuTimeMs(pid)
        // Both are `NaN` where nothing tells it.
        if (!(later > ms)) return later
        ms = later
      }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** As in a Postgres that has run for a while: it writes over what it has kept, where a new one makes each segment first. */
async function fillLog(pool: pg.Pool): Promise<void> {
  for (let megabytes = 0; megabytes < 640; megabytes += 16) {
    await pool.query(
      `select pg_logical_emit_message(false, 'bench', repeat('-', 16 * 1024 * 1024))`,
    )
  }
  await pool.query('checkpoint')
}

const AUTOVACUUMS = `select from pg_stat_activity where backend_type = 'autovacuum worker'`

async function createDatabase({ url: serverUrl, pool }: Database, name: string) {
  await pool.query(`create database ${name} template ${TEMPLATE}`)
  const url = withDatabase(serverUrl, name)
  return {
    url,
    async settle() {
      await using database = openDatabase(url, { maxConnections: 1 })
      await database.pool.query('vacuum analyze')
      await until(
        async () => {
          const { rows } = await database.pool.query(AUTOVACUUMS)
          return rows.length === 0
        },
        'what began to be vacuumed meanwhile is done',
        120_000,
      )
      await database.pool.query('checkpoint')
    },
    async transactions() {
      await until(async () => {
        const { rows } = await pool.query(
          `select from pg_stat_activity where datname = $1 and backend_type = 'client backend'`,
          [name],
        )
        return rows.length === 0
      }, `nobody is connected to ${name}`)
      const { rows } = await pool.query(
        'select xact_commit::int as n from pg_stat_database where datname = $1',
        [name],
      )
      return rows[0].n as number
    },
    async [Symbol.asyncDispose]() {
      await pool.query(`drop database ${name} with (force)`)
    },
  }
}

/** At once, whoever is connected: nothing in it is kept. */
async function stopPostgres(cluster: string): Promise<void> {
  const running = await readPostmaster(cluster)
  if (!running?.alive) return
  process.kill(running.pid, 'SIGQUIT')
  await until(async () => !(await readPostmaster(cluster))?.alive, 'Postgres has stopped')
}
