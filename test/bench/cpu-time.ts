import { readFile } from 'node:fs/promises'

/**
 * The processor time that a process and its children that have ended took, in ms. On a busy machine it says more than
 * the time that passed. Linux tells it; elsewhere it is `NaN`.
 */
export async function cpuTimeMs(pid: number): Promise<number> {
  if (process.platform !== 'linux') return Number.NaN
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: the name, in parentheses, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [utime, stime, cutime, cstime] = fields.slice(UTIME, UTIME + 4).map(Number)
  return ((utime ?? 0) + (stime ?? 0) + (cutime ?? 0) + (cstime ?? 0)) * MS_PER_TICK
}

/** Counted from the field after the name. */
const UTIME = 11
const MS_PER_TICK = 10
