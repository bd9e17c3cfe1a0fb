import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Gauge, Registry } from 'prom-client'
import type { Sql } from '../db/client.ts'
import { endLease, LEASE_MS, takeLease } from './database-lease.ts'
import { createDatabaseMetrics } from './database-metrics.ts'
import { readDatabaseState } from './database-state.ts'
import type { MetricsSnapshot } from './metrics.ts'

export interface DatabaseWatchOptions {
  /** Its statements look up rows by an index. */
  readonly sql: Sql
  readonly workerSchema: string
  readonly retentionMs: number
  readonly onError: (error: unknown) => void
  /** Default: 15,000. */
  readonly everyMs?: number
}

/** Metrics that are read from the database at times, instead of at each scrape. */
export interface DatabaseWatch extends AsyncDisposable {
  /** Without the gauges of the installation while another process has them, and without outdated ones. */
  snapshot(): Promise<MetricsSnapshot>
}

const EVERY_MS = 15_000

interface Reading {
  readonly untilMs: number
  readonly snapshot: MetricsSnapshot
}

/** In every process, looks at the clock of Postgres; in one process of all, counts what is in the database. */
export function watchDatabase(options: DatabaseWatchOptions): DatabaseWatch {
  const { sql, workerSchema, retentionMs, onError, everyMs = EVERY_MS } = options
  const holder = randomUUID()
  const clock = createClockGauge()
  const metrics = createDatabaseMetrics()
  const closed = new AbortController()
  let reading: Reading | null = null

  async function look(): Promise<void> {
    const startedAtMs = performance.now()
    const { isTaken, clockDifferenceMs } = await takeLease(sql, holder)
    clock.set(clockDifferenceMs / 1_000)
    if (!isTaken) {
      reading = null
      return
    }
    const readFromMs = performance.now()
    const state = await readDatabaseState(sql, workerSchema, retentionMs)
    const snapshot = await metrics.show(state, (performance.now() - readFromMs) / 1_000)
    reading = { untilMs: startedAtMs + LEASE_MS, snapshot }
  }

  async function watch(): Promise<void> {
    while (!closed.signal.aborted) {
      await look().catch(onError)
      await sleep(everyMs, undefined, { signal: closed.signal, ref: false }).catch(() => {})
    }
  }

  const watching = watch()
  return {
    async snapshot() {
      const isFresh = reading !== null && performance.now() < reading.untilMs
      return [...(await clock.snapshot()), ...(isFresh ? (reading?.snapshot ?? []) : [])]
    },
    async [Symbol.asyncDispose]() {
      closed.abort()
      await watching
      if (reading) await endLease(sql, holder).catch(() => {})
    },
  }
}

export function createClockGauge(registry = new Registry()) {
  const gauge = new Gauge({
    name: 'posthorn_clock_difference_seconds',
    help: 'The clock of this process minus that of Postgres.',
    registers: [registry],
  })
  let isKnown = false
  return {
    set(seconds: number): void {
      isKnown = true
      gauge.set(seconds)
    },
    snapshot: async (): Promise<MetricsSnapshot> =>
      isKnown ? await registry.getMetricsAsJSON() : [],
  }
}
