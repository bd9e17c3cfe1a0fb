import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Runner } from './graphile-runner.ts'
import { rescueAbandoned } from './rescue.ts'

export interface RetireOptions {
  readonly pool: pg.Pool
  readonly workerSchema: string
  /** Running tasks are no longer waited for. */
  readonly aborting: AbortSignal
  /** A rescue that fails is left to other processes. */
  readonly stopping: AbortSignal
  /** No more heartbeats from here on. */
  readonly onAbandoned: () => void
  readonly onRescued: (count: number) => void
  readonly onError: (error: unknown) => void
}

/** How long running tasks may go on. */
const FINISH_WITHIN_MS = 8_000

/** How long tasks that are aborted may take to record what is done, and requeue the rest. */
const REQUEUE_WITHIN_MS = 1_000

/** With the time to rescue what remains. */
export const RETIRED_WITHIN_MS = FINISH_WITHIN_MS + REQUEUE_WITHIN_MS + 3_000

const RETRY_AFTER_MS = 500

/** Stops a runner within a deadline, closes its connections, and makes the jobs that it still holds available. */
export async function retireRunner(runner: Runner, options: RetireOptions): Promise<void> {
  const stopped = runner.stop()
  await within(FINISH_WITHIN_MS, stopped, options.aborting)
  runner.abort()
  await within(REQUEUE_WITHIN_MS, stopped)
  options.onAbandoned()
  runner.destroy()
  await untilRescued(runner, options)
}

async function untilRescued(runner: Runner, options: RetireOptions): Promise<void> {
  const { pool, workerSchema, stopping, onRescued, onError } = options
  for (;;) {
    try {
      return onRescued(await rescueAbandoned(pool, workerSchema, runner))
    } catch (error) {
      onError(error)
    }
    if (stopping.aborted) return
    await sleep(RETRY_AFTER_MS, undefined, { signal: stopping }).catch(() => {})
  }
}

/** Resolves with the promise, when the time is over, or when the signal aborts. */
export async function within(
  ms: number,
  promise: Promise<unknown>,
  ...signals: AbortSignal[]
): Promise<void> {
  const settled = new AbortController()
  const signal = AbortSignal.any([settled.signal, ...signals])
  await Promise.race([promise, sleep(ms, undefined, { signal }).catch(() => {})])
  settled.abort()
}
