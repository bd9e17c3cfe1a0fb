import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { AttemptMetrics, OrphanMetrics } from './events.ts'

/** The numbers at `/metrics`, in Prometheus' text format. */
export interface Metrics {
  readonly attempts: AttemptMetrics
  readonly orphans: OrphanMetrics
  readonly contentType: string
  render(): Promise<string>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'posthorn_' })
  const made = new Counter({
    name: 'posthorn_attempts_total',
    help: 'Attempts made, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'posthorn_attempt_duration_seconds',
    help: 'How long attempts took, from their beginning to their end.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
    registers: [registry],
  })
  const orphans = new Counter({
    name: 'posthorn_orphans_total',
    help: 'Deliveries without a job and jobs without a delivery that were found and mended; more than 0 is a fault, unless somebody failed or removed jobs by hand.',
    labelNames: ['kind'],
    registers: [registry],
  })
  const outcomes = { true: made.labels('succeeded'), false: made.labels('failed') }
  return {
    attempts: {
      observe(succeeded, durationMs) {
        outcomes[`${succeeded}`].inc()
        duration.observe(durationMs / 1_000)
      },
    },
    orphans: {
      found(kind, count) {
        orphans.labels(kind).inc(count)
      },
    },
    contentType: registry.contentType,
    render: () => registry.metrics(),
  }
}
