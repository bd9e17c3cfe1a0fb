import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Histogram,
  Registry,
} from 'prom-client'
import type { AttemptMetrics, SweepMetrics } from './events.ts'

/** The metrics at `/metrics`, in the Prometheus text format. */
export interface Metrics {
  readonly attempts: AttemptMetrics
  readonly sweeps: SweepMetrics
  readonly contentType: string
  /** For the thread that serves `/metrics`. */
  snapshot(): Promise<MetricsSnapshot>
  /** The metrics of this thread and of the others. */
  render(others: readonly MetricsSnapshot[]): Promise<string>
}

/** The metrics of a thread, as a message can carry them. */
export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

const PROCESS_PREFIX = 'posthorn_process_'
const THREAD_PREFIX = 'posthorn_nodejs_'

/** The metrics of Node that describe a thread get a label with its name. */
export function createMetrics(thread: string): Metrics {
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
  const snapshot = async () => {
    const metrics = await registry.getMetricsAsJSON()
    return metrics.map((metric) => ({
      ...metric,
      // Of any other aggregator, the start time of the process is left out.
      aggregator: 'sum' as const,
      values: metric.values.map((value) =>
        metric.name.startsWith(THREAD_PREFIX)
          ? { ...value, labels: { ...value.labels, thread } }
          : value,
      ),
    }))
  }
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
    snapshot,
    async render(others) {
      const own = await snapshot()
      return await AggregatorRegistry.aggregate([own, ...others.map(withoutProcess)]).metrics()
    },
  }
}

/** The others describe the same process. */
function withoutProcess(snapshot: MetricsSnapshot): MetricsSnapshot {
  return snapshot.filter(({ name }) => !name.startsWith(PROCESS_PREFIX))
}
