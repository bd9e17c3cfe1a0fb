import { spawn } from 'node:child_process'
import { open, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresBinaries } from './binaries.ts'
import { readPostmaster } from './postmaster.ts'
import { socketFolder } from './socket.ts'

/** How long the embedded Postgres may take to start, recovery after a crash included. */
export const START_WITHIN_MS = 60_000

const PREFERRED_PORT = 54_329

/**
 * Starts the server and waits until it says that it is ready. Answers what went wrong, if anything did. Without a port
 * it takes the preferred one, or any where that is taken.
 */
export async function startEmbeddedServer(
  binaries: PostgresBinaries,
  cluster: string,
  port: number | null = null,
): Promise<string | null> {
  const logFile = `${cluster}.log`
  const log = await open(logFile, 'a', 0o600)
  const logStart = (await log.stat()).size
  // Detached: Ctrl-C in a terminal reaches Posthorn alone, which finishes its work before the database goes.
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
    const deadline = performance.now() + START_WITHIN_MS
    for (; performance.now() < deadline; await sleep(10)) {
      if (exited !== null) return `${exited}. Its log: ${await logTail(logFile, logStart)}`
      const running = await readPostmaster(cluster)
      if (running?.ready && running.pid === server.pid) return null
    }
    return `it was not ready after ${START_WITHIN_MS / 1_000} s. Its log: ${logFile}`
  } finally {
    await log.close()
  }
}

/**
 * How much of its log Postgres keeps to write over. Beyond that a segment is made anew, and all who write wait while it
 * is filled with zeros: batches of events are stored a sixth faster without. By default Postgres keeps 80 MB, two
 * seconds of them; it may take 1 GB between two checkpoints in any case.
 */
const KEPT_WAL = '512MB'

function serverArguments(cluster: string, port: number): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: quoted(socketFolder(cluster)),
    max_connections: '100',
    jit: 'off',
    min_wal_size: KEPT_WAL,
  }
  return [
    ...['-D', cluster, '-p', String(port)],
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
}

/** As an element of a list of settings. */
function quoted(name: string | null): string {
  return name === null ? '' : `"${name.replaceAll('"', '""')}"`
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
