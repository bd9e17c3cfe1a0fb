import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { processExists } from '../../lib/process-exists.ts'

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
  const lines = await readLockFile(cluster)
  const pid = Number(lines?.[PID_LINE])
  if (!lines || !Number.isInteger(pid) || pid <= 0) return null
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

async function readLockFile(cluster: string): Promise<string[] | null> {
  try {
    return (await readFile(path.join(cluster, 'postmaster.pid'), 'utf8')).split('\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
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
