import type pg from 'pg'
import { createConnections, POOL_CONNECT_TIMEOUT_MS, type Pools } from '../db/pools.ts'

/** The connections of a runner: one listens, one claims, and the others complete jobs. */
const MAX_CONNECTIONS = 5

/**
 * graphile-worker claims rows in the order of an index, and looks up each of them by another one. A plan for a table that
 * seems to be small compares all rows with all claimed ones instead. From PostgreSQL 18 on, which counts the disabled steps
 * of a plan, only a bitmap scan is allowed for the lookups, while a claim, whose plans all have one disabled step, still
 * reads the index in its order: that holds with any statistics. Before, a bitmap scan would read all due jobs to claim a
 * few, and a disabled scan also has so high a cost that it triggers JIT compilation.
 *
 * A claim or a completion that Postgres loses in a crash only makes a job run again, and the deliveries have what became
 * of them: docs/concepts/reliability.md.
 */
const SETTINGS = `
  set synchronous_commit = off; set plan_cache_mode = force_generic_plan;
  set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off; set jit = off;
  select set_config('enable_' || method, 'off', false) from unnest(
    case when current_setting('server_version_num')::int >= 180000 then array['indexscan', 'sort']
      else array['bitmapscan'] end) as method`

/** Opens the connections of a runner. `destroy` closes all of them, also busy ones. */
export function openRunnerPool(
  { url, connections: ofProcess }: Pick<Pools, 'url' | 'connections'>,
  applicationName: string,
  onError: (error: Error) => void,
): { readonly pool: pg.Pool; destroy(): void } {
  const connections = createConnections(url, POOL_CONNECT_TIMEOUT_MS, ofProcess.openSocket)
  let isDestroyed = false
  function report(error: Error): void {
    if (!isDestroyed) onError(error)
  }
  const pool = connections.open({
    maxConnections: MAX_CONNECTIONS,
    purpose: 'jobs',
    onError: report,
    setupSql: SETTINGS,
    applicationName,
  })
  return {
    pool,
    destroy() {
      isDestroyed = true
      if (!pool.ended) pool.end().catch(report)
      connections.destroyAll()
    },
  }
}
