import { readFile } from 'node:fs/promises'

/**
 * The CPU time of a process and its finished children, in ms. On a busy machine it is more meaningful than elapsed time.
 * `NaN` except on Linux.
 */
export async function cpuTimeMs(pid: number): Promise<number> {
  if (process.platform !== 'linux') return Number.NaN
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: the name in parentheses may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [utime, stime, cutime, cstime] = fields.slice(UTIME, UTIME + 4).map(Number)
  return ((utime ?? 0) + (stime ?? 0) + (cutime ?? 0) + (cstime ?? 0)) * MS_PER_TICK
}

/** The index of `utime` in the fields after the name. */
const UTIME = 11
const MS_PER_TICK = 10
