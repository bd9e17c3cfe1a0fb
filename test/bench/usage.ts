import { readdir, readFile } from 'node:fs/promises'
import type { Bench } from './bench.ts'
import type { BenchDatabase } from './bench-server.ts'
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

/** How often its threads have waited, and were woken. */
export async function wakeUps(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const waits = threads.map(async (thread) => {
    const status = await readProc(pid, `task/${thread}/status`)
    return Number(/^voluntary_ctxt_switches:\s*(\d+)$/m.exec(status)?.[1])
  })
  return (await Promise.all(waits)).reduce((sum, count) => sum + count, 0)
}

/** Empty if the process has ended, and on systems without these files. */
function readProc(pid: number, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
}

/** The index of `utime` in the fields after the name. */
const UTIME = 11
const MS_PER_TICK = 10

/** What a Posthorn process and Postgres did in a span of time. */
export type Usage = Awaited<ReturnType<Awaited<ReturnType<typeof startUsage>>>>

export async function startUsage(
  { server: postgres }: Bench,
  server: PosthornServer,
  database: BenchDatabase,
) {
  return await startMeasuring(async () => ({
    tookMs: performance.now(),
    processMs: await server.cpuTimeMs(),
    postgresMs: await postgres.cpuTimeMs(),
    wakeUps: await server.wakeUps(),
    transactions: await database.transactions(),
  }))
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

/** What each event costs, without what is done at rest in that time. */
export function perEvent(used: Usage, count: number, rest?: Usage) {
  const each = (of: keyof Usage) => {
    const atRest = rest ? (rest[of] / rest.tookMs) * used.tookMs : 0
    return (used[of] - atRest) / count
  }
  return {
    processUs: each('processMs') * 1_000,
    postgresUs: each('postgresMs') * 1_000,
    wakeUps: each('wakeUps'),
    statements: each('transactions'),
  }
}
