import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ensureGeneratedSecret } from '../../lib/generated-secret.ts'
import { repeat } from '../../lib/repeat.ts'
import { connectClient } from '../session-settings.ts'
import { binariesFor, type PostgresBinaries, run } from './binaries.ts'
import { ensureCluster } from './cluster.ts'
import { clearStaleLock, readPostmaster } from './postmaster.ts'
import { START_TIMEOUT_MS, startEmbeddedServer } from './server.ts'
import { socketUrl } from './socket.ts'

/** The running Postgres of a data directory. Disposing it stops Postgres unless another Posthorn process uses it. */
export interface EmbeddedPostgres extends AsyncDisposable {
  /** Of the owner of the database, which is no superuser. */
  readonly url: string
  /** The URL of the Unix socket, which is faster than TCP; equal to `url` where the socket cannot be used. */
  readonly localUrl: string
  /** Restarts Postgres on the same port whenever it is not running, until disposal. */
  keepRunning(handlers: KeepRunningHandlers): void
}

export interface KeepRunningHandlers {
  readonly onRestart: () => void
  readonly onError: (error: unknown) => void
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
  await ensureCluster(binaries, cluster, { user: SUPERUSER, password })

  const installation: Installation = { binaries, cluster, password, ownerPassword }
  const url = await ensureServer(installation, null)
  const overSocket = socketUrl(url, cluster)
  const hasSocket = overSocket !== null && (await tryConnection(overSocket)) === null
  return embeddedPostgres(installation, { url, localUrl: hasSocket ? overSocket : url })
}

interface Installation {
  readonly binaries: PostgresBinaries
  readonly cluster: string
  /** Of the superuser. */
  readonly password: string
  readonly ownerPassword: string
}

/** Waits until a server runs and returns its URL. Starts one on the given port, or on any port if it is null. */
async function ensureServer(installation: Installation, port: number | null): Promise<string> {
  const { binaries, cluster, password, ownerPassword } = installation
  const deadline = performance.now() + START_TIMEOUT_MS
  let failure = ''
  while (performance.now() < deadline) {
    const running = await readPostmaster(cluster)
    if (running?.ready) {
      const server = `127.0.0.1:${running.port}/${DATABASE}`
      const url = `postgres://${OWNER}:${ownerPassword}@${server}`
      const problem = await tryConnection(url)
      if (problem === null) return url
      failure = problem.message
      if (problem.code === INVALID_PASSWORD) {
        const superuserUrl = `postgres://${SUPERUSER}:${password}@${server}`
        failure = (await prepareDatabase(superuserUrl, ownerPassword)) ?? failure
      }
    }
    if (!running?.alive) {
      await clearStaleLock(cluster)
      failure = (await startEmbeddedServer(binaries, cluster, port)) ?? failure
    }
    await sleep(20)
  }
  throw new Error(`The embedded Postgres in ${cluster} did not start: ${failure}`)
}

const CHECK_INTERVAL_MS = 250

function embeddedPostgres(
  installation: Installation,
  { url, localUrl }: Pick<EmbeddedPostgres, 'url' | 'localUrl'>,
): EmbeddedPostgres {
  const { binaries, cluster } = installation
  const port = Number(new URL(url).port)
  let supervision: AsyncDisposable | null = null

  return {
    url,
    localUrl,
    keepRunning({ onRestart, onError }) {
      const ensureRunning = async () => {
        if ((await readPostmaster(cluster))?.alive) return
        await ensureServer(installation, port)
        onRestart()
      }
      supervision ??= repeat(CHECK_INTERVAL_MS, ensureRunning, onError)
    },
    async [Symbol.asyncDispose]() {
      await supervision?.[Symbol.asyncDispose]()
      if (await staysInUse(url)) return
      await run(binaries, 'pg_ctl', ['stop', '-D', cluster, '-m', 'fast', '-w', '-s']).catch(() => {
        // Another process stopped it first, or it was killed.
      })
    },
  }
}

/** Returns the error, or `null` on success. */
async function tryConnection(url: string): Promise<pg.DatabaseError | null> {
  return await withClient(url, (client) => client.query('select 1')).then(
    () => null,
    (error) => error,
  )
}

/** Prepares the database for its owner, after a look in vain. Returns an error message, or `null` on success. */
async function prepareDatabase(
  superuserUrl: string,
  ownerPassword: string,
): Promise<string | null> {
  try {
    const missing = (await tryConnection(superuserUrl))?.code === DATABASE_MISSING
    if (missing) await renameDatabase(superuserUrl)
    await withClient(superuserUrl, (client) => createOwner(client, ownerPassword))
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/** Creates the owner of the database, or gives it this password. */
async function createOwner(asSuperuser: pg.Client, password: string): Promise<void> {
  await asSuperuser.query(`
    begin;
    select pg_advisory_xact_lock(hashtextextended('posthorn.owner', 0));
    do $do$ begin
      if not exists (select from pg_roles where rolname = '${OWNER}') then
        create role ${OWNER};
        alter database ${DATABASE} owner to ${OWNER};
      end if;
    end $do$;
    alter role ${OWNER} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls
      password ${pg.escapeLiteral(password)};
    commit`)
}

async function renameDatabase(superuserUrl: string): Promise<void> {
  // Renaming the database of initdb is faster than creating one, which copies and syncs files.
  // By default, tables that a superuser creates would land in the schema of that name, which is Posthorn's own.
  const rename = `alter database postgres rename to ${DATABASE}; alter database ${DATABASE} set search_path to public`
  await withClient(superuserUrl.replace(/[^/]*$/, 'template1'), (client) =>
    client.query(rename),
  ).catch((error: pg.DatabaseError) => {
    // Another process renames the database at the same time.
    if (error.code !== DATABASE_MISSING && error.code !== DATABASE_IN_USE) throw error
  })
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const INVALID_PASSWORD = '28P01'
const DATABASE_MISSING = '3D000'
const DATABASE_IN_USE = '55006'

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
  await connectClient(client, 'direct', 'jobs')
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
