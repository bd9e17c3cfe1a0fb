import { Gauge, type Registry } from 'prom-client'
import type { WatchedPool } from '../db/pools.ts'

/** Reads these pools of connections to Postgres at each scrape. */
export function watchPools(registry: Registry, pools: Readonly<Record<string, WatchedPool>>): void {
  const registers = [registry]
  new Gauge({
    name: 'posthorn_pool_connections',
    help: 'Open connections to Postgres, busy or idle. The pool pipeline publishes, loads and records; background cancels, redelivers and recovers many deliveries; general serves all else.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [name, { pool }] of Object.entries(pools)) {
        this.set({ pool: name, state: 'busy' }, pool.totalCount - pool.idleCount)
        this.set({ pool: name, state: 'idle' }, pool.idleCount)
      }
    },
  })
  new Gauge({
    name: 'posthorn_pool_max_connections',
    help: 'The largest number of connections of each pool.',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [name, { pool }] of Object.entries(pools))
        this.set({ pool: name }, pool.options.max)
    },
  })
  new Gauge({
    name: 'posthorn_pool_waiting',
    help: 'Statements that wait for a connection to Postgres.',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [name, { waiting }] of Object.entries(pools)) this.set({ pool: name }, waiting())
    },
  })
}
