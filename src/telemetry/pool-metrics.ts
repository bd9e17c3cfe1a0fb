import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** The state of a pool of connections to Postgres. */
interface Pool {
  readonly totalCount: number
  readonly idleCount: number
  readonly waiting: number
  readonly options: { readonly max: number }
}

export interface PoolMetrics {
  /** A statement got its connection after this time, or the wait timed out. */
  waited(pool: string, waitedMs: number, timedOut: boolean): void
  /** Reads these pools at each scrape. */
  watch(pools: Readonly<Record<string, Pool>>): void
}

export function createPoolMetrics(registry: Registry, names: readonly string[]): PoolMetrics {
  const wait = new Histogram({
    name: 'posthorn_pool_wait_seconds',
    help: 'How long statements waited for a connection to Postgres.',
    labelNames: ['pool'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2],
    registers: [registry],
  })
  const timeouts = new Counter({
    name: 'posthorn_pool_timeouts_total',
    help: 'Statements that failed because no connection to Postgres became free within 2 seconds (of the pool background: a minute).',
    labelNames: ['pool'],
    registers: [registry],
  })
  for (const pool of names) {
    wait.zero({ pool })
    timeouts.inc({ pool }, 0)
  }
  return {
    waited(pool, waitedMs, timedOut) {
      wait.observe({ pool }, waitedMs / 1_000)
      if (timedOut) timeouts.inc({ pool })
    },
    watch: (pools) => addGauges(registry, pools),
  }
}

function addGauges(registry: Registry, pools: Readonly<Record<string, Pool>>): void {
  const registers = [registry]
  new Gauge({
    name: 'posthorn_pool_connections',
    help: 'Open connections to Postgres, busy or idle. The pool pipeline publishes, loads and records; background cancels, redelivers and recovers many deliveries; general serves all else.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, { totalCount, idleCount }] of Object.entries(pools)) {
        this.set({ pool, state: 'busy' }, totalCount - idleCount)
        this.set({ pool, state: 'idle' }, idleCount)
      }
    },
  })
  new Gauge({
    name: 'posthorn_pool_max_connections',
    help: 'The largest number of connections of each pool.',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, { options }] of Object.entries(pools)) this.set({ pool }, options.max)
    },
  })
  new Gauge({
    name: 'posthorn_pool_waiting',
    help: 'Statements that wait for a connection to Postgres.',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, { waiting }] of Object.entries(pools)) this.set({ pool }, waiting)
    },
  })
}
