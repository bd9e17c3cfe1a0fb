import { Gauge, type Registry } from 'prom-client'
import type { WatchedPool } from '../db/pools.ts'

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
    help: 'Open connections to Postgres, busy or idle. The pool pipeline publishes, loads and records; background cancels, redelivers and recovers many deliveries; general serves all else.',
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
