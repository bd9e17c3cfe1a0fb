import type { Registry } from 'prom-client'
import { addGauge } from './metrics.ts'

/** Shows whether Postgres answers this process. */
export interface UpMetric {
  answered(): void
  failed(): void
}

/** Postgres is asked once a second. */
const SILENT_AFTER_MS = 5_000

export function createUpMetric(registry: Registry): UpMetric {
  let answeredAtMs = performance.now()
  addGauge(
    registry,
    'posthorn_postgres_up',
    'Whether Postgres answered this thread in the last 5 seconds: 1 or 0.',
    () => Number(performance.now() - answeredAtMs < SILENT_AFTER_MS),
  )
  return {
    answered() {
      answeredAtMs = performance.now()
    },
    failed() {
      answeredAtMs = Number.NEGATIVE_INFINITY
    },
  }
}
