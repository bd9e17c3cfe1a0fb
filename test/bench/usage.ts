import type { Bench } from './bench.ts'
import type { PosthornServer } from './posthorn-server.ts'

/** The CPU time of a Posthorn process and of Postgres in a span of time. */
export interface Usage {
  readonly tookMs: number
  readonly processMs: number
  readonly postgresMs: number
}

/** Measures from now until the returned function is called. */
export async function startUsage(
  { server: postgres }: Bench,
  server: PosthornServer,
): Promise<() => Promise<Usage>> {
  const read = async () => {
    const [processMs, postgresMs] = await Promise.all([server.cpuTimeMs(), postgres.cpuTimeMs()])
    return { atMs: performance.now(), processMs, postgresMs }
  }
  const before = await read()
  return async () => {
    const after = await read()
    return {
      tookMs: after.atMs - before.atMs,
      processMs: after.processMs - before.processMs,
      postgresMs: after.postgresMs - before.postgresMs,
    }
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
