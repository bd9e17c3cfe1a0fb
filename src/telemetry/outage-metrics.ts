import { Counter, type Registry } from 'prom-client'
import { type Unavailability, unavailabilityOf } from '../db/faults.ts'
import type { OutageLog } from './outage-log.ts'

const CAUSES: readonly Unavailability[] = [
  'unreachable',
  'disk_full',
  'contention',
  'time_limit',
  'pool_exhausted',
]

/** Counts the failures that an outage log is told of: each, not only the first of a spell. */
export function countFailures(registry: Registry, outages: OutageLog): OutageLog {
  const failures = new Counter({
    name: 'posthorn_postgres_failures_total',
    help: 'Requests and jobs that failed or were repeated because a statement could not run: unreachable, disk_full, contention (a lock), time_limit or pool_exhausted.',
    labelNames: ['cause'],
    registers: [registry],
  })
  for (const cause of CAUSES) failures.inc({ cause }, 0)
  return {
    ...outages,
    report(error) {
      const cause = unavailabilityOf(error)
      if (cause !== null && cause !== 'stopping') failures.inc({ cause })
      return outages.report(error)
    },
  }
}
