import type { Hono } from 'hono'
import { type Unavailability, unavailabilityOf } from '../db/faults.ts'
import { unappliedMigrations } from '../db/migrate/migrations.ts'
import { CONNECT_TIMEOUT_MS, type Pools, type WatchedPool } from '../db/pools.ts'
import { atMostEvery } from '../lib/at-most-every.ts'
import { startDeadline } from '../lib/deadline.ts'
import type { Worker } from '../queue/worker.ts'
import { isMemoryShort } from '../telemetry/memory.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { createServerRoutes } from './http-server.ts'

interface OperatorDeps {
  readonly database: Pools
  readonly metrics: Metrics
  /** Null for a process of the role `api`. */
  readonly worker: Worker | null
  /** Whether `/metrics` is among the routes. */
  readonly servesMetrics: boolean
}

/** How often `/readyz` and `/metrics` are made: they need no key, so a flood of requests must cost little. */
const NEW_ANSWER_MS = 1_000

/** `/readyz` reports Postgres as unavailable after this time without an answer. Longer than the wait for a connection. */
const READY_WITHIN_MS = CONNECT_TIMEOUT_MS + 500

/** The routes of every process of any role: `/healthz`, `/readyz` and, unless it has a port of its own, `/metrics`. */
export function createOperatorRoutes(deps: OperatorDeps): Hono {
  const routes = createServerRoutes(EXACT_PATHS)
  const latestChecks = atMostEvery(NEW_ANSWER_MS, () => readiness(deps))
  routes.get(HEALTH_PATH, (context) => context.json({ status: 'ok' }))
  routes.get(READY_PATH, async (context) => {
    const checks = await latestChecks()
    const ready = Object.values(checks).every((check) => check !== 'unavailable')
    return context.json({ status: ready ? 'ok' : 'unavailable', checks }, ready ? 200 : 503)
  })
  if (deps.servesMetrics) addMetrics(routes, deps.metrics)
  return routes
}

/** The routes of the port for metrics. */
export function createMetricsRoutes(metrics: Metrics): Hono {
  const routes = createServerRoutes(EXACT_PATHS)
  addMetrics(routes, metrics)
  return routes
}

function addMetrics(routes: Hono, metrics: Metrics): void {
  const latestPage = atMostEvery(NEW_ANSWER_MS, metrics.render)
  routes.get(METRICS_PATH, async (context) =>
    context.body(await latestPage(), 200, { 'content-type': metrics.contentType }),
  )
}

/**
 * `busy`: not known, because of a lock or a limit. `short`: of memory. Both are no reason to send the requests of this process
 * away.
 */
export type Check = 'ok' | 'busy' | 'short' | 'unavailable'

export type Checks = Readonly<Record<string, Check>>

async function readiness({ database, worker }: OperatorDeps): Promise<Checks> {
  const { general } = database.pools
  const isMigrated = unappliedMigrations(database.pool).then(({ length }) => length === 0)
  const [postgres, migrations] = await Promise.all([
    checkOf(acceptsWrites(database), general),
    checkOf(isMigrated, general),
  ])
  return {
    postgres,
    migrations,
    memory: isMemoryShort() ? 'short' : 'ok',
    ...(worker && { worker: named(worker.running) }),
  }
}

async function checkOf(asked: Promise<boolean>, pool: WatchedPool): Promise<Check> {
  const timeout = Promise.withResolvers<Check>()
  // Of two statements, each can wait for a connection almost as long as it may.
  const deadline = startDeadline(READY_WITHIN_MS, () =>
    timeout.resolve(pool.waiting() > 0 ? 'busy' : 'unavailable'),
  )
  const answered = asked.then(named, (error) =>
    BUSY.includes(unavailabilityOf(error)) ? 'busy' : 'unavailable',
  )
  return await Promise.race([answered, timeout.promise]).finally(deadline.cancel)
}

const BUSY: readonly (Unavailability | null)[] = ['pool_exhausted', 'contention', 'time_limit']

const named = (isReady: boolean): Check => (isReady ? 'ok' : 'unavailable')

/** After a failover, a connection may lead to a read-only standby. */
async function acceptsWrites({ pool, pipeline, poolerUrl }: Pools): Promise<boolean> {
  const text = `select current_setting('transaction_read_only') = 'off' as "isWritable"`
  const pools = poolerUrl === null ? [pool] : [pool, pipeline]
  const answers = await Promise.all(pools.map((one) => one.query<{ isWritable: boolean }>(text)))
  return answers.every(({ rows }) => rows[0]?.isWritable)
}

const HEALTH_PATH = '/healthz'
const READY_PATH = '/readyz'
const METRICS_PATH = '/metrics'

/** They need no key, so proxies close them by their spelling. */
const EXACT_PATHS: readonly string[] = [HEALTH_PATH, READY_PATH, METRICS_PATH]
