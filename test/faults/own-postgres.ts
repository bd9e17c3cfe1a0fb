import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { binariesFor, type PostgresBinaries, run } from '../../src/db/embedded/binaries.ts'
import { ensureCluster } from '../../src/db/embedded/cluster.ts'
import { clearStaleLock, readPostmaster } from '../../src/db/embedded/postmaster.ts'
import { startEmbeddedServer } from '../../src/db/embedded/server.ts'
import { until } from '../support/until.ts'

/** A Postgres that a test starts, stops and kills as it likes; always at one address, and touched by nobody else. */
export interface OwnPostgres extends AsyncDisposable {
  readonly url: string
  /** Where the cluster lies. */
  readonly cluster: string
  start(): Promise<void>
  /** `immediate` is a crash that asks first. */
  stop(mode: 'fast' | 'immediate'): Promise<void>
  /** kill -9 of the server's first process; the others end when they notice. */
  kill(): Promise<void>
  /** One statement on a connection of its own. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they asked for
  query(statement: string, values?: unknown[]): Promise<any[]>
}

export async function startOwnPostgres(directory: string): Promise<OwnPostgres> {
  const dataDir = path.join(directory, 'postgres data')
  await mkdir(dataDir)
  const cluster = path.join(dataDir, 'postgres')
  const password = randomBytes(12).toString('hex')
  const binaries = await binariesFor(dataDir)
  await ensureCluster(binaries, cluster, { user: 'posthorn', password })
  const port = await freePort()
  const url = `postgres://posthorn:${password}@127.0.0.1:${port}/postgres`
  const postgres: OwnPostgres = {
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
        query_timeout: 20_000,
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

/** Again and again, as after a kill the other processes of the old server are still ending. */
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

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })
}
