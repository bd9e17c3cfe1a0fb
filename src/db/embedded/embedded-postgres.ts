import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ensureGeneratedSecret } from '../../lib/generated-secret.ts'
import { binariesFor, type PostgresBinaries, run } from './binaries.ts'
import { ensureCluster } from './cluster.ts'
import { clearStaleLock, readPostmaster } from './postmaster.ts'
import { START_WITHIN_MS, startEmbeddedServer } from './server.ts'
import { socketUrl } from './socket.ts'

/** The Postgres of a data directory, running; stopped when the last Posthorn process using it lets go. */
export interface EmbeddedPostgres extends AsyncDisposable {
  readonly url: string
  /** The same over its socket file, which costs a process and Postgres less; `url` where that cannot be used. */
  readonly localUrl: string
  /** Starts it again, at the same address, whenever it is found not running, until this process lets go. */
  keepRunning(handlers: KeepRunningHandlers): void
}

export interface KeepRunningHandlers {
  readonly onRestart: () => void
  readonly onError: (error: unknown) => void
}

/** Tells Posthorn's connections from a person's `psql`, which does not keep the database running. */
export const APPLICATION_NAME = 'posthorn'

const USER = 'posthorn'
const DATABASE = 'posthorn'

/**
 * Joins the Postgres that runs in `dataDir`, or starts it, making the cluster first where there is none.
 * Safe when several processes do it at once, and after any of them, or Postgres, was killed.
 */
export async function openEmbeddedPostgres(dataDir: string): Promise<EmbeddedPostgres> {
  await mkdir(dataDir, { recursive: true })
  const cluster = path.join(dataDir, 'postgres')
  const password = await ensureGeneratedSecret(path.join(dataDir, 'postgres-password'), () =>
    randomBytes(24).toString('hex'),
  )
  const binaries = await binariesFor(dataDir)
  await ensureCluster(binaries, cluster, { user: USER, password })

  const place: Place = { binaries, cluster, password }
  const url = await ensureServer(place, null)
  const overSocket = socketUrl(url, cluster)
  const hasSocket = overSocket !== null && (await tryConnection(overSocket)) === null
  return embeddedPostgres(place, { url, localUrl: hasSocket ? overSocket : url })
}

/** Where a server runs, and how it is reached. */
interface Place {
  readonly binaries: PostgresBinaries
  readonly cluster: string
  readonly password: string
}

/** Answers the URL of the server that runs, once it does. Without a port, one that is started takes any. */
async function ensureServer(place: Place, port: number | null): Promise<string> {
  const { binaries, cluster, password } = place
  const deadline = performance.now() + START_WITHIN_MS
  let failure = ''
  while (performance.now() < deadline) {
    const running = await readPostmaster(cluster)
    if (running?.ready) {
      const url = `postgres://${USER}:${password}@127.0.0.1:${running.port}/${DATABASE}`
      const problem = await tryConnection(url)
      if (problem === null) return url
      failure = problem
    }
    if (!running?.alive) {
      await clearStaleLock(cluster)
      failure = (await startEmbeddedServer(binaries, cluster, port)) ?? failure
    }
    await sleep(20)
  }
  throw new Error(`The embedded Postgres in ${cluster} did not start: ${failure}`)
}

/** How often a process that keeps it running looks whether it does. */
const LOOK_EVERY_MS = 250

function embeddedPostgres(
  place: Place,
  { url, localUrl }: Pick<EmbeddedPostgres, 'url' | 'localUrl'>,
): EmbeddedPostgres {
  const { binaries, cluster } = place
  const port = Number(new URL(url).port)
  const closed = new AbortController()
  let keeping: Promise<void> | null = null

  async function keep({ onRestart, onError }: KeepRunningHandlers): Promise<void> {
    while (!closed.signal.aborted) {
      try {
        if (!(await readPostmaster(cluster))?.alive) {
          await ensureServer(place, port)
          onRestart()
        }
      } catch (error) {
        onError(error)
      }
      await sleep(LOOK_EVERY_MS, undefined, { signal: closed.signal, ref: false }).catch(() => {})
    }
  }

  return {
    url,
    localUrl,
    keepRunning(handlers) {
      keeping ??= keep(handlers)
    },
    async [Symbol.asyncDispose]() {
      closed.abort()
      await keeping
      if (await usedByOthers(url)) return
      await run(binaries, 'pg_ctl', ['stop', '-D', cluster, '-m', 'fast', '-w', '-s']).catch(() => {
        // Another process stopped it first, or it was killed: either way it no longer runs.
      })
    },
  }
}

/** Connects, and names the database at the first time. `null` when all is well. */
async function tryConnection(url: string): Promise<string | null> {
  try {
    await withClient(url, (client) => client.query('select 1'))
    return null
  } catch (error) {
    const { code, message } = error as pg.DatabaseError
    if (code !== DATABASE_MISSING) return message
  }
  // Renaming the one that initdb made takes a moment, where creating one copies and syncs it.
  const rename = `alter database postgres rename to ${DATABASE}`
  return await withClient(url.replace(/[^/]*$/, 'template1'), (client) =>
    client.query(rename),
  ).then(
    () => null,
    (error: pg.DatabaseError) => {
      // Done by a process beside this one, a moment ago.
      if (error.code === DATABASE_MISSING || error.code === DATABASE_IN_USE) return null
      return error.message
    },
  )
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const DATABASE_MISSING = '3D000'
const DATABASE_IN_USE = '55006'

async function usedByOthers(url: string): Promise<boolean> {
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
  const client = new pg.Client({ connectionString: url, application_name: 'posthorn-embedded' })
  client.on('error', () => {})
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
