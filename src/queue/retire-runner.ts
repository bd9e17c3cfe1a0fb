import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Runner } from './graphile-runner.ts'
import { rescueAbandoned } from './rescue.ts'

export interface RetireOptions {
  readonly pool: pg.Pool
  readonly workerSchema: string
  /** Aborts the running tasks without waiting for them. */
  readonly abortSignal: AbortSignal
  /** Once aborted, a failed rescue is not retried but left to other processes. */
  readonly shutdownSignal: AbortSignal
  /** The runner needs no more heartbeats. */
  readonly onAbandoned: () => void
  readonly onRescued: (count: number) => void
  readonly onError: (error: unknown) => void
}

/** How long running tasks may take to finish. */
const FINISH_TIMEOUT_MS = 8_000

/** How long aborted tasks may take to record their results and requeue the rest. */
const REQUEUE_TIMEOUT_MS = 1_000

/** Includes 3 s to rescue the remaining jobs. */
export const RETIRE_TIMEOUT_MS = FINISH_TIMEOUT_MS + REQUEUE_TIMEOUT_MS + 3_000

const RETRY_AFTER_MS = 500

/** Stops a runner within a deadline, closes its connections, and rescues the jobs that it still has claimed. */
export async function retireRunner(runner: Runner, options: RetireOptions): Promise<void> {
  const stopped = runner.stop()
  await waitAtMost(FINISH_TIMEOUT_MS, stopped, options.abortSignal)
  runner.abort()
  await waitAtMost(REQUEUE_TIMEOUT_MS, stopped)
  options.onAbandoned()
  runner.destroy()
  await rescueWithRetry(runner, options)
}

async function rescueWithRetry(runner: Runner, options: RetireOptions): Promise<void> {
  const { pool, workerSchema, shutdownSignal, onRescued, onError } = options
  for (;;) {
    try {
      return onRescued(await rescueAbandoned(pool, workerSchema, runner))
    } catch (error) {
      onError(error)
    }
    if (shutdownSignal.aborted) return
    await sleep(RETRY_AFTER_MS, undefined, { signal: shutdownSignal }).catch(() => {})
  }
}

/** Resolves when the promise resolves, when the time is over, or when a signal aborts. */
export async function waitAtMost(
  ms: number,
  promise: Promise<unknown>,
  ...signals: AbortSignal[]
): Promise<void> {
  const settled = new AbortController()
  const signal = AbortSignal.any([settled.signal, ...signals])
  await Promise.race([promise, sleep(ms, undefined, { signal }).catch(() => {})])
  settled.abort()
}
