import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ensureGeneratedSecret } from '../../lib/generated-secret.ts'
import { binariesFor, type PostgresBinaries, run } from './binaries.ts'
import {
  clearStaleLock,
  ensureCluster,
  readPostmaster,
  START_TIMEOUT_MS,
  startEmbeddedServer,
} from './server.ts'

/** The running Postgres of a data directory. Disposing it stops Postgres unless another Posthorn process uses it. */
export interface EmbeddedPostgres extends AsyncDisposable {
  /** Of the owner of the database, which is no superuser. */
  readonly url: string
}

/**
 * Marks Posthorn's connections: the embedded Postgres keeps running while another process has one, but a `psql` does not
 * keep it running.
 */
export const APPLICATION_NAME = 'posthorn'

const SUPERUSER = 'posthorn'

/** The role of Posthorn's connections. It owns the database, and is no superuser. */
const OWNER = 'posthorn_embedded'

const DATABASE = 'posthorn'

/**
 * Connects to the Postgres that runs in `dataDir`, or starts it, after creating the cluster if there is none. Safe when
 * several processes call it at the same time, and after any of them, or Postgres, was killed.
 */
export async function openEmbeddedPostgres(dataDir: string): Promise<EmbeddedPostgres> {
  const binaries = await binariesFor(dataDir)
  const cluster = path.join(dataDir, 'postgres')
  const secretOf = (name: string) =>
    ensureGeneratedSecret(path.join(dataDir, name), () => randomBytes(24).toString('hex'))
  const password = await secretOf('postgres-password')
  const ownerPassword = await secretOf('postgres-owner-password')
  await ensureCluster(binaries, cluster, { user: SUPERUSER, password }, [
    `create role ${OWNER} login password ${pg.escapeLiteral(ownerPassword)};`,
    // Renaming the database of initdb is faster than creating one, which copies and syncs files.
    `alter database postgres rename to ${DATABASE};`,
    `alter database ${DATABASE} owner to ${OWNER};`,
    // By default, tables that a superuser creates would land in the schema of that name, which is Posthorn's own.
    `alter database ${DATABASE} set search_path to public;`,
  ])
  const url = await ensureServer(binaries, cluster, ownerPassword)
  return {
    url,
    async [Symbol.asyncDispose]() {
      if (await staysInUse(url)) return
      await run(binaries, 'pg_ctl', ['stop', '-D', cluster, '-m', 'fast', '-w', '-s']).catch(() => {
        // Another process stopped it first, or it was killed.
      })
    },
  }
}

/** Waits until a server runs, or starts one. Returns its URL. */
async function ensureServer(
  binaries: PostgresBinaries,
  cluster: string,
  password: string,
): Promise<string> {
  const deadline = performance.now() + START_TIMEOUT_MS
  let failure = ''
  while (performance.now() < deadline) {
    const running = await readPostmaster(cluster)
    if (running?.ready) {
      const url = `postgres://${OWNER}:${password}@127.0.0.1:${running.port}/${DATABASE}`
      const problem = await withClient(url, async () => null).catch((error: Error) => error)
      if (problem === null) return url
      failure = problem.message
    }
    if (!running?.alive) {
      await clearStaleLock(cluster)
      failure = (await startEmbeddedServer(binaries, cluster)) ?? failure
    }
    await sleep(20)
  }
  throw new Error(`The embedded Postgres in ${cluster} did not start: ${failure}`)
}

/** How long Postgres may take to end the connections that this process has closed. */
const CLOSE_TIMEOUT_MS = 2_000

/** Whether another process uses Postgres. Connections of this process can still be visible for a moment. */
async function staysInUse(url: string): Promise<boolean> {
  for (const deadline = performance.now() + CLOSE_TIMEOUT_MS; performance.now() < deadline; ) {
    if (!(await isInUse(url))) return false
    await sleep(50)
  }
  return true
}

async function isInUse(url: string): Promise<boolean> {
  try {
    const { rows } = await withClient(url, (client) =>
      client.query(
        `select 1 from pg_stat_activity
         where application_name like $1 and pid <> pg_backend_pid() limit 1`,
        [`${APPLICATION_NAME}%`],
      ),
    )
    return rows.length > 0
  } catch {
    return false
  }
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'posthorn-embedded',
  })
  client.on('error', () => {})
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
