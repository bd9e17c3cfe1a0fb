import { Counter, Gauge, type Registry } from 'prom-client'

/** The steps of the maintenance, in order. */
const MAINTENANCE_STEPS = [
  'detach_partitions',
  'drop_partitions',
  'create_partitions',
  'delete_default_rows',
  'retention_rules',
  'finished_jobs',
  'bulk_tasks',
  'statistics',
  'holds',
  'incidents',
  'event_streams',
  'secrets',
  'idempotency_keys',
  'alert_mails',
  'sessions',
  'audit_entries',
] as const

export type MaintenanceStep = (typeof MAINTENANCE_STEPS)[number]

/** The limits of callers. A request that one of them rejects did nothing. */
const LIMITS = [
  'requests',
  'events',
  'deliveries',
  'failed_keys',
  'in_flight_of_owner',
  'in_flight',
  'body',
  'document',
  'subscriptions',
  'connections',
] as const
export type Limit = (typeof LIMITS)[number]

interface Described {
  readonly help: string
  /** The label, and all its values. Default: none. */
  readonly label?: readonly [name: string, ...values: string[]]
}

/** The counters of a thread, by their names without `posthorn_` and `_total`. */
const COUNTERS = {
  events_published: {
    help: 'Events that this process stored. Those that SQL publishes do not pass through a process.',
  },
  events_duplicate: {
    help: 'Published events whose idempotency key had been used before, so that nothing was stored.',
  },
  undecided_checks: {
    help: 'Events that were accepted although the check with the schema of their type took more steps than a check may.',
  },
  deliveries_created: {
    help: 'Deliveries of the events that this process stored, also those that a job creates later.',
  },
  deliveries_finished: {
    help: 'Deliveries that ended with an attempt: succeeded, or exhausted after the last one failed.',
    label: ['state', 'succeeded', 'exhausted'],
  },
  swept_deliveries: {
    help: 'Deliveries that were corrected after a change of their jobs: restored a missing job, canceled because an operator permanently failed the job, or reopened because an operator rescheduled the job of an exhausted delivery. Restored ones indicate a bug unless somebody completed or deleted jobs.',
    label: ['kind', 'restored', 'canceled', 'reopened'],
  },
  maintenance_failures: {
    help: 'Steps of the maintenance that failed. Each is tried again, at the latest by the next maintenance after 15 minutes.',
    label: ['step', ...MAINTENANCE_STEPS],
  },
  postgres_failures: {
    help: 'Requests and jobs that failed or were repeated because a statement could not run: unreachable, disk_full, contention (a lock), time_limit or pool_exhausted.',
    label: ['cause', 'unreachable', 'disk_full', 'contention', 'time_limit', 'pool_exhausted'],
  },
  runner_replacements: {
    help: 'Runners of graphile-worker that failed or claimed no jobs, and were replaced.',
  },
  limit_rejections: {
    help: 'Requests and connections that a limit rejected: requests, events and deliveries of an API key; failed_keys of an address; in_flight_of_owner and in_flight; body of a request; document of GraphQL or its response; subscriptions of a key; connections of an address.',
    label: ['limit', ...LIMITS],
  },
  thread_restarts: { help: 'How often the process started the thread again after a fault.' },
  log_lines: {
    help: 'Log lines at the levels warn, error and fatal.',
    label: ['level', 'warn', 'error', 'fatal'],
  },
} as const satisfies Record<string, Described>

export type CounterName = keyof typeof COUNTERS

/** Adds to a counter. `value` is that of its label; one that is not listed does not count. */
export type Count = (name: CounterName, by: number, value?: string) => void

/** Adds the counters, which have 0 for each value of their labels. Returns what counts. */
export function addCounters(registry: Registry): Count {
  const counters = new Map<string, (by: number, value: string | undefined) => void>()
  for (const [name, { help, label }] of Object.entries<Described>(COUNTERS)) {
    const [labelName, ...values] = label ?? []
    const labelNames = labelName === undefined ? [] : [labelName]
    const registers = [registry]
    const counter = new Counter({ name: `posthorn_${name}_total`, help, labelNames, registers })
    for (const value of values) counter.inc({ [labelName as string]: value }, 0)
    counters.set(name, (by, value) => {
      if (labelName === undefined) counter.inc(by)
      else if (value !== undefined && values.includes(value))
        counter.inc({ [labelName]: value }, by)
    })
  }
  return (name, by, value) => counters.get(name)?.(by, value)
}

/** The gauges of a thread that are read at each scrape, by their names without `posthorn_`. */
export const GAUGES = {
  attempts_in_flight: 'Attempts in flight.',
  attempts_in_flight_limit:
    'The limit of attempts in flight, POSTHORN_CONCURRENCY. Up to a quarter more may be in flight without a connection.',
  attempts_waiting: 'Claimed deliveries that wait until they may be sent.',
  subscriptions: 'Open subscriptions.',
  postgres_up: 'Whether Postgres answered this thread in the last 5 seconds: 1 or 0.',
} as const

export type GaugeName = keyof typeof GAUGES

export function addGauge(registry: Registry, name: GaugeName, read: () => number): void {
  new Gauge({
    name: `posthorn_${name}`,
    help: GAUGES[name],
    registers: [registry],
    collect() {
      this.set(read())
    },
  })
}
