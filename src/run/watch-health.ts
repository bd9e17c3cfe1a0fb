import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import type { Notify } from '../live/notify.ts'
import { countFilteredEvents } from '../webhooks/count-filtered-events.ts'
import { evaluateHealth } from '../webhooks/evaluate-health.ts'

export interface HealthWatchOptions {
  /** Its statements look up rows by an index. */
  readonly sql: Sql
  readonly notify: Notify
  readonly now: () => Date
  readonly onError: (error: unknown) => void
}

const EVERY_MS = 1_000

/** Evaluates the health of the webhooks, counts what filters refused, and notifies the organizations of changes. */
export function watchHealth({ sql, notify, now, onError }: HealthWatchOptions): AsyncDisposable {
  const closed = new AbortController()
  const { signal } = closed

  async function evaluate(): Promise<void> {
    const transitions = await evaluateHealth(sql, Math.max(0, now().getTime() - Date.now()))
    for (const { organizationId } of transitions) notify(organizationId)
    await countFilteredEvents(sql)
  }

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      await evaluate().catch(onError)
      await sleep(EVERY_MS, undefined, { signal, ref: false }).catch(() => {})
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
