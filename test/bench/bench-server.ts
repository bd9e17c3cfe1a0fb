import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type pg from 'pg'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { openEmbeddedPostgres } from '../../src/db/embedded/embedded-postgres.ts'
import { readPostmaster } from '../../src/db/embedded/server.ts'
import { migrate } from '../../src/db/migrate/migrate.ts'
import { superuserUrl } from '../support/superuser-url.ts'
import { until } from '../support/until.ts'
import { withDatabase } from '../support/with-database.ts'
import { familyCpuTimeMs, startMeasuring } from './usage.ts'

export type BenchServer = Awaited<ReturnType<typeof startBenchServer>>
export type BenchDatabase = Awaited<ReturnType<typeof createDatabase>>

const TEMPLATE = 'posthorn_template'

/** A Postgres for the benchmark, in a temporary folder, with a database for each measurement. */
export async function startBenchServer() {
  const folder = await mkdtemp(path.join(tmpdir(), 'posthorn-bench-'))
  const cluster = path.join(folder, 'postgres')
  await using started = new AsyncDisposableStack()
  started.defer(() => rm(folder, { recursive: true, force: true }))
  started.defer(() => stopPostgres(cluster))
  // Over the socket, as `posthorn start`.
  const url = await superuserUrl(folder, (await openEmbeddedPostgres(folder)).url)
  const server = started.use(openDatabase(url, { purpose: 'migrations' }))
  await server.pool.query(`create database ${TEMPLATE}`)
  {
    await using template = openDatabase(withDatabase(url, TEMPLATE), { purpose: 'migrations' })
    await migrate(template.pool)
  }
  await fillLog(server.pool)
  /** The CPU time of all processes of Postgres, also of those that have ended. */
  async function cpuTimeMs(): Promise<number> {
    const pid = (await readPostmaster(cluster))?.pid
    return pid === undefined ? Number.NaN : await familyCpuTimeMs(pid)
  }
  let databaseCount = 0
  const resources = started.move()
  return {
    folder,
    /** A migrated database, dropped on disposal, so that data of one measurement does not slow another. */
    createDatabase: () => createDatabase(server, `posthorn_bench_${databaseCount++}`),
    cpuTimeMs,
    /** Measures what Postgres does for a database from now until the returned function is called. */
    startMeter: (database: BenchDatabase) =>
      startMeasuring(async () => ({
        transactions: await countTransactions(server, database),
        cpuMs: await cpuTimeMs(),
        walBytes: (await server.pool.query(WAL_BYTES)).rows[0].bytes as number,
      })),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Fills the WAL as in a long-running Postgres, which reuses segments; a new one must create each segment first. */
async function fillLog(pool: pg.Pool): Promise<void> {
  for (let megabytes = 0; megabytes < 640; megabytes += 16) {
    await pool.query(
      `select pg_logical_emit_message(false, 'bench', repeat('-', 16 * 1024 * 1024))`,
    )
  }
  await pool.query('checkpoint')
}

const WAL_BYTES = `select (pg_current_wal_insert_lsn() - '0/0')::float8 as bytes`
const AUTOVACUUMS = `select from pg_stat_activity where backend_type = 'autovacuum worker'`

async function createDatabase({ url: serverUrl, pool }: Database, name: string) {
  await pool.query(`create database ${name} template ${TEMPLATE}`)
  const url = withDatabase(serverUrl, name)
  return {
    ...{ url, name },
    /** The number of transactions committed so far. Connections that were idle tell it within 10 s. */
    async transactions(): Promise<number> {
      const counted = 'select xact_commit::int as n from pg_stat_database where datname = $1'
      return (await pool.query(counted, [name])).rows[0].n
    },
    /** Vacuums, analyzes and writes all pages, so that this work does not run during a measurement. */
    async settle() {
      await using database = openDatabase(url, { purpose: 'migrations', maxConnections: 1 })
      await database.pool.query('vacuum analyze')
      const isQuiet = async () => (await database.pool.query(AUTOVACUUMS)).rowCount === 0
      await until(isQuiet, 'autovacuum has finished', 600_000)
      await database.pool.query('checkpoint')
    },
    async [Symbol.asyncDispose]() {
      await pool.query(`drop database ${name} with (force)`)
    },
  }
}

/**
 * The number of transactions committed since the database was created. Waits until all clients have disconnected, because
 * Postgres counts their transactions only then.
 */
async function countTransactions(
  { pool }: Database,
  { name, transactions }: BenchDatabase,
): Promise<number> {
  const clients = `from pg_stat_activity where datname = $1 and backend_type = 'client backend'`
  const areGone = async () => (await pool.query(`select ${clients}`, [name])).rowCount === 0
  await until(areGone, `no client is connected to ${name}`)
  return await transactions()
}

/** An immediate shutdown that ignores connected clients: the data is not needed any more. */
async function stopPostgres(cluster: string): Promise<void> {
  const running = await readPostmaster(cluster)
  if (!running?.alive) return
  process.kill(running.pid, 'SIGQUIT')
  await until(async () => !(await readPostmaster(cluster))?.alive, 'Postgres has stopped')
}
