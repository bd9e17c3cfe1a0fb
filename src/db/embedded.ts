import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ensureGeneratedSecret } from '../generated-secret.ts'
import { binariesFor, type PostgresBinaries, run } from './embedded-binaries.ts'
import { clearStaleLock, readPostmaster } from './embedded-postmaster.ts'

/** The Postgres of a data directory, running; stopped when the last Posthorn process using it lets go. */
export interface EmbeddedPostgres extends AsyncDisposable {
  readonly url: string
}

/** Tells Posthorn's connections from a person's `psql`, which does not keep the database running. */
export const APPLICATION_NAME = 'posthorn'

const USER = 'posthorn'
const DATABASE = 'posthorn'
const PREFERRED_PORT = 54_329
const START_WITHIN_MS = 60_000

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
  await ensureCluster(binaries, cluster, password)

  const deadline = Date.now() + START_WITHIN_MS
  let failure = ''
  while (Date.now() < deadline) {
    const running = await readPostmaster(cluster)
    if (running?.ready) {
      const url = `postgres://${USER}:${password}@127.0.0.1:${running.port}/${DATABASE}`
      const problem = await tryConnection(url)
      if (problem === null) return embeddedPostgres(binaries, cluster, url)
      failure = problem
    }
    if (running?.alive) {
      await sleep(20)
    } else {
      await clearStaleLock(cluster)
      failure = (await startServer(binaries, cluster)) ?? failure
    }
  }
  throw new Error(`The embedded Postgres in ${cluster} did not start: ${failure}`)
}

function embeddedPostgres(
  binaries: PostgresBinaries,
  cluster: string,
  url: string,
): EmbeddedPostgres {
  return {
    url,
    async [Symbol.asyncDispose]() {
      if (await usedByOthers(url)) return
      await run(binaries, 'pg_ctl', ['stop', '-D', cluster, '-m', 'fast', '-w', '-s']).catch(() => {
        // Another process stopped it first, or it was killed: either way it no longer runs.
      })
    },
  }
}

/** The cluster is made aside and renamed into place, so that one cut off half-way is never used. */
async function ensureCluster(
  binaries: PostgresBinaries,
  cluster: string,
  password: string,
): Promise<void> {
  if (await exists(path.join(cluster, 'PG_VERSION'))) return
  const draft = `${cluster}-${process.pid}-${randomBytes(4).toString('hex')}`
  const passwordFile = `${draft}.password`
  try {
    await writeFile(passwordFile, password, { mode: 0o600 })
    await binaries.giveTo(passwordFile)
    await mkdir(draft, { mode: 0o700 })
    await binaries.giveTo(draft)
    await run(binaries, 'initdb', [
      `--pgdata=${draft}`,
      `--username=${USER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--no-sync',
      '--no-instructions',
    ])
    await rename(draft, cluster).catch(async (error: NodeJS.ErrnoException) => {
      // A first start beside this one was quicker; its cluster is as good.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
    await rm(passwordFile, { force: true })
  }
}

/** Starts the server and waits until it says that it is ready. Answers what went wrong, if anything did. */
async function startServer(binaries: PostgresBinaries, cluster: string): Promise<string | null> {
  const logFile = `${cluster}.log`
  const log = await open(logFile, 'a', 0o600)
  const logStart = (await log.stat()).size
  // Detached: Ctrl-C in a terminal reaches Posthorn alone, which finishes its work before the database goes.
  const { file, args, options } = binaries.command('postgres', await serverArguments(cluster))
  const server = spawn(file, args, {
    ...options,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  })
  let exited: string | null = null
  server.once('error', (error) => {
    exited = error.message
  })
  server.once('exit', (code) => {
    exited ??= `it exited with code ${code}`
  })
  server.unref()
  try {
    for (const deadline = Date.now() + START_WITHIN_MS; Date.now() < deadline; await sleep(10)) {
      if (exited !== null) return `${exited}. Its log: ${await logTail(logFile, logStart)}`
      const running = await readPostmaster(cluster)
      if (running?.ready && running.pid === server.pid) return null
    }
    return `it was not ready after ${START_WITHIN_MS / 1_000} s. Its log: ${logFile}`
  } finally {
    await log.close()
  }
}

async function serverArguments(cluster: string): Promise<string[]> {
  const settings = {
    listen_addresses: '127.0.0.1',
    // No socket file: its path would have to be short and without surprises.
    unix_socket_directories: '',
    max_connections: '100',
    jit: 'off',
  }
  const port = (await isPortFree(PREFERRED_PORT)) ? PREFERRED_PORT : 0
  const args = ['-D', cluster, '-p', String(port || (await anyFreePort()))]
  return [
    ...args,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
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

async function isPortFree(port: number): Promise<boolean> {
  return (await listenOnce(port)) !== null
}

async function anyFreePort(): Promise<number> {
  return (await listenOnce(0)) ?? PREFERRED_PORT
}

function listenOnce(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? null) : null))
    })
  })
}

async function logTail(file: string, from: number): Promise<string> {
  const text = (await readFile(file)).subarray(from).toString('utf8').trim()
  return text.slice(-600) || '(empty)'
}

async function exists(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    () => false,
  )
}
