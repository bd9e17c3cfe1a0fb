import { spawn } from 'node:child_process'
import { open, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasLittleMemory } from '../../lib/little-memory.ts'
import type { PostgresBinaries } from './binaries.ts'
import { readPostmaster } from './postmaster.ts'

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
  const logFile = `${cluster}.log`
  const log = await open(logFile, 'a', 0o600)
  const logStart = (await log.stat()).size
  // Detached, so that Ctrl-C in a terminal reaches only Posthorn, which finishes its work before it stops Postgres.
  const { file, args, options } = binaries.command(
    'postgres',
    serverArguments(cluster, port ?? (await freePort())),
  )
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
    const deadline = performance.now() + START_TIMEOUT_MS
    for (; performance.now() < deadline; await sleep(10)) {
      if (exited !== null) return `${exited}. Its log: ${await logTail(logFile, logStart)}`
      const running = await readPostmaster(cluster)
      if (running?.ready && running.pid === server.pid) return null
    }
    return `it was not ready after ${START_TIMEOUT_MS / 1_000} s. Its log: ${logFile}`
  } finally {
    await log.close()
  }
}

/**
 * The write-ahead log that Postgres recycles. Creating a new segment makes all writers wait while it is filled with
 * zeros; with this setting batches of events are stored a sixth faster. The default is 80 MB, two seconds of batches;
 * `max_wal_size` is 1 GB in any case.
 */
const MIN_WAL_SIZE = '512MB'

function serverArguments(cluster: string, port: number): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    jit: 'off',
    min_wal_size: MIN_WAL_SIZE,
    ...(hasLittleMemory() && { shared_buffers: '32MB' }),
    // initdb writes the time zone of the machine to postgresql.conf.
    timezone: 'UTC',
    log_timezone: 'UTC',
  }
  return [
    ...['-D', cluster, '-p', String(port)],
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
}

async function freePort(): Promise<number> {
  return (await listenOnce(PREFERRED_PORT)) ?? (await listenOnce(0)) ?? PREFERRED_PORT
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
