import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { binariesFor, type PostgresBinaries, run } from '../../src/db/embedded/binaries.ts'
import {
  clearStaleLock,
  ensureCluster,
  readPostmaster,
  startEmbeddedServer,
} from '../../src/db/embedded/server.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'

/** A Postgres server for one test, which can start, stop and kill it. Its address does not change. */
export interface PostgresServer extends AsyncDisposable {
  readonly url: string
  /** The directory of the cluster. */
  readonly cluster: string
  start(): Promise<void>
  /** `immediate` stops like a crash, without a checkpoint. */
  stop(mode: 'fast' | 'immediate'): Promise<void>
  /** Kills the postmaster with SIGKILL. The other server processes end soon after it. */
  kill(): Promise<void>
  /** Runs one statement on a new connection. */
  // biome-ignore lint/suspicious/noExplicitAny: the rows depend on the statement
  query(statement: string, values?: unknown[]): Promise<any[]>
}

export async function startPostgresServer(directory: string): Promise<PostgresServer> {
  const dataDir = path.join(directory, 'postgres data')
  await mkdir(dataDir)
  const cluster = path.join(dataDir, 'postgres')
  const password = randomBytes(12).toString('hex')
  const binaries = await binariesFor(dataDir)
  await ensureCluster(binaries, cluster, { user: 'posthorn', password })
  const port = await freePort()
  const url = `postgres://posthorn:${password}@127.0.0.1:${port}/postgres`
  const postgres: PostgresServer = {
    url,
    cluster,
    start: () => start(binaries, cluster, port),
    async stop(mode) {
      await run(binaries, 'pg_ctl', ['stop', '-D', cluster, '-m', mode, '-w', '-s'])
    },
    async kill() {
      const running = await readPostmaster(cluster)
      if (!running?.alive) throw new Error(`No Postgres runs in ${cluster}.`)
      process.kill(running.pid, 'SIGKILL')
      await until(async () => !(await readPostmaster(cluster))?.alive, 'Postgres ends')
    },
    async query(statement, values = []) {
      const client = new pg.Client({
        connectionString: url,
        application_name: 'faults',
        connectionTimeoutMillis: 5_000,
        query_timeout: 120_000,
      })
      client.on('error', () => {})
      await client.connect()
      try {
        return (await client.query(statement, values)).rows
      } finally {
        await client.end()
      }
    },
    async [Symbol.asyncDispose]() {
      if ((await readPostmaster(cluster))?.alive) await postgres.stop('fast')
    },
  }
  await postgres.start()
  return postgres
}

/** Retries, as after a kill the other processes of the old server take a while to end. */
async function start(binaries: PostgresBinaries, cluster: string, port: number): Promise<void> {
  let failure: string | null = null
  for (let tries = 0; tries < 50; tries++) {
    await clearStaleLock(cluster)
    failure = await startEmbeddedServer(binaries, cluster, port)
    if (failure === null) return
    await sleep(50)
  }
  throw new Error(`Postgres did not start: ${failure}`)
}
