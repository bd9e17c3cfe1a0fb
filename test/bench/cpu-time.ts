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

/** The CPU time of a process and all its children, also those that run. `NaN` except on Linux. */
export async function familyCpuTimeMs(pid: number): Promise<number> {
  for (;;) {
    const before = await cpuTimeMs(pid)
    const running = await Promise.all((await childrenOf(pid)).map((child) => runningMs(child)))
    // The time of a child that ends moves to its parent.
    if (Object.is(await cpuTimeMs(pid), before))
      return running.reduce((sum, ms) => sum + ms, before)
  }
}

async function runningMs(pid: number): Promise<number> {
  return await cpuTimeMs(pid).catch(() => 0)
}

/** The pids of the children of a process. Empty except on Linux. */
async function childrenOf(pid: number): Promise<number[]> {
  if (process.platform !== 'linux') return []
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}

/** The index of `utime` in the fields after the name. */
const UTIME = 11
const MS_PER_TICK = 10
