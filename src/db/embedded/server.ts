import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { appendFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { hasLittleMemory } from '../../lib/little-memory.ts'
import { processExists } from '../../lib/process-exists.ts'
import { type PostgresBinaries, run } from './binaries.ts'

/** The time limit for starting the embedded Postgres, including recovery after a crash. */
export const START_TIMEOUT_MS = 60_000

const PREFERRED_PORT = 54_329

/**
 * Starts the server and waits until it is ready. Returns an error message, or `null` on success. Without a port, it uses
 * the preferred port, or any free one if that is in use.
 */
export async function startEmbeddedServer(
  binaries: PostgresBinaries,
  cluster: string,
  port: number | null = null,
): Promise<string | null> {
  const log = `${cluster}.log`
  const logStart = (await stat(log).catch(() => null))?.size ?? 0
  await appendFile(log, '', { mode: 0o600 })
  await binaries.changeOwner(log)
  const settings = serverSettings(port ?? (await freePort()))
  const waiting = ['-w', '-t', String(START_TIMEOUT_MS / 1_000), '-s']
  try {
    // It detaches the server, so that Ctrl-C in a terminal reaches only Posthorn, which ends its work before it stops Postgres.
    await run(binaries, 'pg_ctl', ['start', '-D', cluster, '-l', log, ...waiting, '-o', settings])
    return null
  } catch (error) {
    return `${(error as Error).message} Its log: ${await logTail(log, logStart)}`
  }
}

/**
 * The write-ahead log that Postgres recycles. Creating a new segment makes all writers wait while it is filled with
 * zeros; with this setting batches of events are stored a sixth faster. The default is 80 MB, two seconds of batches;
 * `max_wal_size` is 1 GB in any case.
 */
const MIN_WAL_SIZE = '512MB'

/** The arguments of the server, as a shell reads them. */
function serverSettings(port: number): string {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    jit: 'off',
    min_wal_size: MIN_WAL_SIZE,
    ...(hasLittleMemory() && { shared_buffers: '32MB' }),
    // initdb writes the time zone of the machine to postgresql.conf.
    timezone: 'UTC',
    log_timezone: 'UTC',
  }
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}

async function freePort(): Promise<number> {
  for (const port of [PREFERRED_PORT, 0]) {
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').catch(() => null)
    if (isFree === null) continue
    const { port: free } = server.address() as AddressInfo
    await promisify(server.close.bind(server))()
    return free
  }
  return PREFERRED_PORT
}

async function logTail(file: string, from: number): Promise<string> {
  const text = (await readFile(file)).subarray(from).toString('utf8').trim()
  return text.slice(-600) || '(empty)'
}

/** The server of a cluster, as its `postmaster.pid` describes it. */
export interface Postmaster {
  readonly pid: number
  readonly port: number
  /** A Postgres with this pid exists, so nothing else may touch the cluster. */
  readonly alive: boolean
  /** It accepts connections. */
  readonly ready: boolean
}

/** The lines of `postmaster.pid`, from 0: https://www.postgresql.org/docs/current/storage-file-layout.html */
const PID_LINE = 0
const PORT_LINE = 3
const STATUS_LINE = 7

/** Returns `null` if the cluster has no lock file. */
export async function readPostmaster(cluster: string): Promise<Postmaster | null> {
  const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const lines = text.split('\n')
  const pid = Number(lines[PID_LINE])
  if (!Number.isInteger(pid) || pid <= 0) return null
  const alive = await isPostgres(pid)
  const ready = alive && lines[STATUS_LINE]?.trim() === 'ready'
  return { pid, port: Number(lines[PORT_LINE]), alive, ready }
}

/**
 * Removes the lock files of a killed server if another program now has its pid, as happens in containers, where pids are
 * few: Postgres then refuses to start. A lock file with an unused pid stays, because Postgres ignores it, and because
 * processes that restart the server at the same time could remove the lock of the one that won.
 */
export async function clearStaleLock(cluster: string): Promise<void> {
  const postmaster = await readPostmaster(cluster)
  if (!postmaster || postmaster.alive || !processExists(postmaster.pid)) return
  await rm(path.join(cluster, 'postmaster.pid'), { force: true })
}

async function isPostgres(pid: number): Promise<boolean> {
  return processExists(pid) && (await commandOf(pid)).includes('postgres')
}

async function commandOf(pid: number): Promise<string> {
  if (process.platform === 'win32') return 'postgres'
  try {
    if (process.platform === 'linux') return await readFile(`/proc/${pid}/comm`, 'utf8')
    return (await promisify(execFile)('ps', ['-o', 'comm=', '-p', String(pid)])).stdout
  } catch {
    return ''
  }
}

/**
 * Creates the cluster of the embedded Postgres if there is none, and runs `setup` in it, one statement a line. It is created
 * in a temporary folder and renamed into place, so that an interrupted start leaves no cluster.
 */
export async function ensureCluster(
  binaries: PostgresBinaries,
  cluster: string,
  superuser: { readonly user: string; readonly password: string },
  setup: readonly string[] = [],
): Promise<void> {
  if (existsSync(path.join(cluster, 'PG_VERSION'))) return
  const draft = `${cluster}-${process.pid}-${randomBytes(4).toString('hex')}`
  const passwordFile = `${draft}.password`
  try {
    await writeFile(passwordFile, superuser.password, { mode: 0o600 })
    await binaries.changeOwner(passwordFile)
    await mkdir(draft, { mode: 0o700 })
    await binaries.changeOwner(draft)
    await run(binaries, 'initdb', [
      `--pgdata=${draft}`,
      `--username=${superuser.user}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--no-sync',
      '--no-instructions',
    ])
    const alone = ['--single', '-c', 'exit_on_error=on', '-D', draft, 'template1']
    if (setup.length > 0) await run(binaries, 'postgres', alone, `${setup.join('\n')}\n`)
    await rename(draft, cluster).catch(async (error: NodeJS.ErrnoException) => {
      // Another process created the cluster first.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
    await rm(passwordFile, { force: true })
  }
}
