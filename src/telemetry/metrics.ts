import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { WatchedPool } from '../db/pools.ts'
import { VERSION } from '../lib/version.ts'
import { addCounters, addGauge, type Count, type GaugeName } from './counters.ts'

/** The metrics of a process. Each part of Posthorn adds its own to the registry. */
export interface Metrics {
  readonly registry: Registry
  readonly contentType: string
  readonly count: Count
  /** Adds a gauge, which is read at each scrape. */
  show(name: GaugeName, read: () => number): void
  /** Adds metrics that exist only at times, as `render` returns them. */
  addSource(render: () => Promise<string>): void
  /** All metrics in the Prometheus text format. */
  render(): Promise<string>
}

/** Gauges whose names end like those of counters, and two that Node deprecated. */
const NOT_STANDARD = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

/**
 * How often the lag of the event loop is sampled, which is its value at rest. At the default of 10 ms, a thread at rest uses
 * 8 ms of processor a second for that alone.
 */
const LAG_SAMPLE_MS = 100

/** `restarts`: how often the thread of the role was started again. */
export function createMetrics(role: string, restarts = 0): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLE_MS })
  for (const name of NOT_STANDARD) registry.removeSingleMetric(name)
  addBuildInfo(registry, role)
  const count = addCounters(registry)
  count('thread_restarts', restarts)
  const sources = [() => registry.metrics()]
  return {
    registry,
    count,
    show: (name, read) => addGauge(registry, name, read),
    contentType: registry.contentType,
    addSource: (render) => void sources.push(render),
    render: async () => (await Promise.all(sources.map((source) => source()))).join(''),
  }
}

function addBuildInfo(registry: Registry, role: string): void {
  new Gauge({
    name: 'posthorn_build_info',
    help: 'Always 1. The labels have the versions of Posthorn and Node, and the role: all, api or worker.',
    labelNames: ['version', 'node', 'role'],
    registers: [registry],
  })
    .labels(VERSION, process.versions.node, role)
    .set(1)
}

/** Reads these pools of connections to Postgres at each scrape. */
export function watchPools(registry: Registry, pools: Readonly<Record<string, WatchedPool>>): void {
  const addGauge = (name: string, help: string, read: (pool: WatchedPool) => number) =>
    new Gauge({
      name: `posthorn_pool_${name}`,
      help,
      labelNames: ['pool'],
      registers: [registry],
      collect() {
        for (const [pool, watched] of Object.entries(pools)) this.set({ pool }, read(watched))
      },
    })
  new Gauge({
    name: 'posthorn_pool_connections',
    help: 'Open connections to Postgres, busy or idle. The pool pipeline publishes, loads and records; jobs maintains; background cancels, redelivers and recovers many deliveries; general serves all else.',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [name, { pool }] of Object.entries(pools)) {
        this.set({ pool: name, state: 'busy' }, pool.totalCount - pool.idleCount)
        this.set({ pool: name, state: 'idle' }, pool.idleCount)
      }
    },
  })
  addGauge(
    'max_connections',
    'The largest number of connections of each pool.',
    ({ pool }) => pool.options.max,
  )
  addGauge('waiting', 'Statements that wait for a connection to Postgres.', ({ waiting }) =>
    waiting(),
  )
}
