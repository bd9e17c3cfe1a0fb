import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import { reopenRescheduled } from '../deliveries/reopen-exhausted.ts'
import type { ReportSweep } from '../telemetry/events.ts'

export interface RescheduledOptions {
  readonly sql: Sql
  readonly workerSchema: string
  readonly report: ReportSweep
  readonly onError: (error: unknown) => void
}

/** An operator who runs an exhausted delivery again waits about this long for the attempt. */
const EVERY_MS = 3_000

/** The search reads all jobs: with very many, it runs less often, so that it takes at most this part of the time. */
const MAX_LOAD = 0.05
const MAX_PAUSE_MS = 30_000

/** Reopens exhausted deliveries whose failed jobs an operator rescheduled. Each worker does, and one is enough. */
export function watchRescheduled({
  sql,
  workerSchema,
  report,
  onError,
}: RescheduledOptions): AsyncDisposable {
  const closed = new AbortController()
  const { signal } = closed

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      const startedAtMs = performance.now()
      await reopenRescheduled(sql, workerSchema).then((reopened) => report({ reopened }), onError)
      const pauseMs = Math.max(EVERY_MS, (performance.now() - startedAtMs) / MAX_LOAD)
      await sleep(Math.min(pauseMs, MAX_PAUSE_MS), undefined, { signal }).catch(() => {})
    }
  }

  const watching = watch()
  return {
    async [Symbol.asyncDispose]() {
      closed.abort()
      await watching
    },
  }
}
