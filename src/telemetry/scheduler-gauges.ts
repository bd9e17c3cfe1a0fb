import type { Registry } from 'prom-client'
import { addGauge } from './metrics.ts'

interface Scheduler {
  readonly inFlight: number
  readonly waiting: number
}

export function addSchedulerGauges(
  registry: Registry,
  scheduler: Scheduler,
  { concurrency }: { readonly concurrency: number },
): void {
  addGauge(registry, 'posthorn_attempts_in_flight', 'Attempts in flight.', () => scheduler.inFlight)
  addGauge(
    registry,
    'posthorn_attempts_in_flight_limit',
    'The limit of attempts in flight, POSTHORN_CONCURRENCY. Up to a quarter more may be in flight without a connection.',
    () => concurrency,
  )
  addGauge(
    registry,
    'posthorn_attempts_waiting',
    'Claimed deliveries that wait until they may be sent.',
    () => scheduler.waiting,
  )
}
