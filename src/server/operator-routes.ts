import { Hono } from 'hono'
import type { Database, Sql } from '../db/client.ts'
import { CONNECT_TIMEOUT_MS } from '../db/connections.ts'
import { unavailabilityOf } from '../db/faults.ts'
import { notFoundProblem } from '../http/problem.ts'
import { unappliedMigrations } from '../migrate/migrate.ts'
import type { Worker } from '../queue/runner.ts'
import type { Metrics, MetricsSnapshot } from '../telemetry/metrics.ts'
import { logRoute } from './request-log.ts'

export interface OperatorDeps {
  readonly database: Database
  readonly metrics: Metrics
  /** The worker of this thread, if its role includes one. */
  readonly worker: Worker | undefined
  readonly rest: RestOfProcess
  /** Whether `/metrics` is among the routes. */
  readonly servesMetrics: boolean
}

/** The other threads of the process. */
export interface RestOfProcess {
  /** What `/readyz` reports about them, by name. */
  readiness(): Promise<Readonly<Record<string, boolean>>>
  metrics(): Promise<readonly MetricsSnapshot[]>
}

export const METRICS_PATH = '/metrics'

/** `/readyz` reports Postgres as unavailable after this time without an answer. Longer than the wait for a connection. */
const READY_WITHIN_MS = CONNECT_TIMEOUT_MS + 500

/** The routes of every process of any role: `/healthz`, `/readyz` and, unless it has a port of its own, `/metrics`. */
export function createOperatorRoutes(deps: OperatorDeps): Hono {
  // Not strict: a slash at the end of a path makes no difference.
  const routes = new Hono({ strict: false })
  routes.use(logRoute)
  routes.get('/healthz', (context) => context.json({ status: 'ok' }))
  routes.get('/readyz', async (context) => {
    const checks = await readiness(deps)
    const ready = Object.values(checks).every((check) => check !== 'unavailable')
    return context.json({ status: ready ? 'ok' : 'unavailable', checks }, ready ? 200 : 503)
  })
  if (deps.servesMetrics) addMetrics(routes, deps)
  routes.notFound((context) => notFoundProblem(context.req.path))
  return routes
}

/** The routes of the port for metrics. */
export function createMetricsRoutes(deps: Pick<OperatorDeps, 'metrics' | 'rest'>): Hono {
  const routes = new Hono({ strict: false })
  routes.use(logRoute)
  addMetrics(routes, deps)
  routes.notFound((context) => notFoundProblem(context.req.path))
  return routes
}

function addMetrics(routes: Hono, { metrics, rest }: Pick<OperatorDeps, 'metrics' | 'rest'>): void {
  routes.get(METRICS_PATH, async (context) =>
    context.body(await metrics.render(await rest.metrics()), 200, {
      'content-type': metrics.contentType,
    }),
  )
}

/** `busy`: not known, because all connections of this process are in use. That is no reason to send its requests away. */
type Check = 'ok' | 'busy' | 'unavailable'

async function readiness({ database, worker, rest }: OperatorDeps): Promise<Record<string, Check>> {
  const [postgres, migrations] = await Promise.all([
    check(isWritable(database)),
    check(unappliedMigrations(database.pool).then(({ length }) => length === 0)),
  ])
  const others = { ...(worker && { worker: worker.running }), ...(await rest.readiness()) }
  return {
    postgres,
    migrations,
    ...Object.fromEntries(Object.entries(others).map(([name, isReady]) => [name, named(isReady)])),
  }
}

async function check(answer: Promise<boolean>): Promise<Check> {
  const timeout = new Promise<Check>((resolve) => {
    setTimeout(resolve, READY_WITHIN_MS, 'unavailable').unref()
  })
  const answered = answer.then(named, (error) =>
    unavailabilityOf(error) === 'pool_exhausted' ? 'busy' : 'unavailable',
  )
  return await Promise.race([answered, timeout])
}

const named = (isReady: boolean): Check => (isReady ? 'ok' : 'unavailable')

/** After a failover, the connection may lead to a read-only standby. */
async function isWritable({ pool, pipeline, poolerUrl }: Database): Promise<boolean> {
  const pools: readonly Sql[] = poolerUrl === null ? [pool] : [pool, pipeline]
  const answers = pools.map((sql) =>
    sql.query<{ read_only: string }>(
      `select current_setting('transaction_read_only') as read_only`,
    ),
  )
  return (await Promise.all(answers)).every(({ rows }) => rows[0]?.read_only === 'off')
}
