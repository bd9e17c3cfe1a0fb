import { Counter, Histogram, type Registry } from 'prom-client'
import { addCounter } from './counters.ts'

/** Counts attempts and what became of their deliveries. */
export interface AttemptMetrics {
  /** An attempt starts this long after its time. */
  started(delayMs: number): void
  recorded(attempt: CountedAttempt, deliveryState: string): void
}

interface CountedAttempt {
  readonly succeeded: boolean
  readonly status: number | null
  readonly errorCode: string | null
  readonly durationMs: number
}

const OUTCOMES = ['succeeded', 'failed'] as const
const STATUS_CODES = ['http_3xx', 'http_4xx', 'http_5xx']

/** `errorCodes`: those of attempts without a response. */
export function createAttemptMetrics(
  registry: Registry,
  errorCodes: readonly string[],
): AttemptMetrics {
  const registers = [registry]
  const attempts = new Counter({
    name: 'posthorn_attempts_total',
    help: 'Recorded attempts. error_code is empty for a success, http_4xx or the like for a response that is none, or the error code of an attempt without a response.',
    labelNames: ['outcome', 'error_code'],
    registers,
  })
  attempts.inc({ outcome: 'succeeded', error_code: '' }, 0)
  for (const code of [...STATUS_CODES, ...errorCodes]) {
    attempts.inc({ outcome: 'failed', error_code: code }, 0)
  }
  const duration = new Histogram({
    name: 'posthorn_attempt_duration_seconds',
    help: 'Durations of attempts, from the start of connecting to the end of the response.',
    labelNames: ['outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
    registers,
  })
  for (const outcome of OUTCOMES) duration.zero({ outcome })
  const delay = new Histogram({
    name: 'posthorn_attempt_delay_seconds',
    help: 'How long after its time an attempt starts, without the time that its delivery waits for its webhook. It includes the difference between the clocks of the process and of Postgres.',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800],
    registers,
  })
  const countFinished = addCounter(registry, 'deliveries_finished')

  return {
    started: (delayMs) => delay.observe(Math.max(0, delayMs) / 1_000),
    recorded({ succeeded, status, errorCode, durationMs }, deliveryState) {
      const outcome = succeeded ? 'succeeded' : 'failed'
      attempts.inc({ outcome, error_code: succeeded ? '' : (errorCode ?? statusCode(status)) })
      duration.observe({ outcome }, durationMs / 1_000)
      countFinished(1, deliveryState)
    },
  }
}

function statusCode(status: number | null): string {
  const first = Math.floor((status ?? 500) / 100)
  return `http_${Math.min(Math.max(first, 3), 5)}xx`
}
