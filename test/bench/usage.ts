import { readFile } from 'node:fs/promises'
import type { Bench } from './bench.ts'
import type { PosthornServer } from './posthorn-server.ts'

/*
 * What processes use, as Linux says. On other systems each figure is `NaN`.
 */

/** Memory of a process in MB of 1,000,000 bytes: `VmRSS` is resident now, `VmHWM` was the most so far. */
export async function memoryMb(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  // https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
  const status = await readProc(pid, 'status')
  const [, kibibytes] = new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(status) ?? []
  return (Number(kibibytes) * 1_024) / 1e6
}

/** The CPU time of a process and its finished children, in ms. On a busy machine it is more meaningful than elapsed time. */
export async function cpuTimeMs(pid: number): Promise<number> {
  const stat = await readProc(pid, 'stat')
  // https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: the name in parentheses may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const times = [0, 1, 2, 3].map((i) => Number(fields[UTIME + i]))
  return times.reduce((sum, ticks) => sum + ticks, 0) * MS_PER_TICK
}

/** The CPU time of a process and all its children, also those that run. */
export async function familyCpuTimeMs(pid: number): Promise<number> {
  for (;;) {
    const before = await cpuTimeMs(pid)
    const children = (await readProc(pid, `task/${pid}/children`)).split(' ').filter(Boolean)
    const running = await Promise.all(children.map((child) => cpuTimeMs(Number(child))))
    // The time of a child that ends moves to its parent.
    if (Object.is(await cpuTimeMs(pid), before))
      return running.reduce((sum, ms) => sum + (ms || 0), before)
  }
}

/** Empty if the process has ended, and on systems without these files. */
function readProc(pid: number, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
}

/** The index of `utime` in the fields after the name. */
const UTIME = 11
const MS_PER_TICK = 10

/** The CPU time of a Posthorn process and of Postgres in a span of time. */
export interface Usage {
  readonly tookMs: number
  readonly processMs: number
  readonly postgresMs: number
}

/** Measures what processes use from now until the returned function is called. */
export async function startUsage(
  { server: postgres }: Bench,
  server: PosthornServer,
): Promise<() => Promise<Usage>> {
  return await startMeasuring(async () => {
    const [processMs, postgresMs] = await Promise.all([server.cpuTimeMs(), postgres.cpuTimeMs()])
    return { tookMs: performance.now(), processMs, postgresMs }
  })
}

/** Reads counters now, and returns what reads them again and returns the differences. */
export async function startMeasuring<Counter extends string>(
  read: () => Promise<Record<Counter, number>>,
): Promise<() => Promise<Record<Counter, number>>> {
  const before = await read()
  return async () => {
    const after = await read()
    for (const counter in before) after[counter] -= before[counter]
    return after
  }
}

/** The CPU time of each event, without that at rest. */
export function perEventUs(used: Usage, count: number, rest?: Usage) {
  const perEvent = (of: 'processMs' | 'postgresMs') => {
    const restMs = rest ? (rest[of] / rest.tookMs) * used.tookMs : 0
    return ((used[of] - restMs) * 1_000) / count
  }
  return { processUs: perEvent('processMs'), postgresUs: perEvent('postgresMs') }
}
