import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { AttemptMetrics, SweepMetrics } from './events.ts'

/** The metrics at `/metrics`, in the Prometheus text format. */
export interface Metrics {
  readonly attempts: AttemptMetrics
  readonly sweeps: SweepMetrics
  readonly contentType: string
  render(): Promise<string>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'posthorn_' })
  const attempts = new Counter({
    name: 'posthorn_attempts_total',
    help: 'Attempts by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'posthorn_attempt_duration_seconds',
    help: 'Duration of attempts.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
    registers: [registry],
  })
  const swept = new Counter({
    name: 'posthorn_swept_deliveries_total',
    help: 'Deliveries that a sweep repaired: restored a missing job, or canceled because an operator permanently failed the job. Restored ones indicate a bug unless somebody completed or deleted jobs.',
    labelNames: ['kind'],
    registers: [registry],
  })
  const outcomes = { true: attempts.labels('succeeded'), false: attempts.labels('failed') }
  return {
    attempts: {
      observe(succeeded, durationMs) {
        outcomes[`${succeeded}`].inc()
        duration.observe(durationMs / 1_000)
      },
    },
    sweeps: {
      swept(kind, count) {
        swept.labels(kind).inc(count)
      },
    },
    contentType: registry.contentType,
    render: () => registry.metrics(),
  }
}
