import type { Settings } from '../config/settings.ts'
import { watchPostgres } from '../db/postgres-watch.ts'
import type { Provisioned } from '../embedded/provision.ts'
import { requireListedKeys } from '../encryption/stored-secrets.ts'
import type { ThreadRunners } from '../queue/worker.ts'
import type { RestOfProcess } from '../server/operator-routes.ts'
import { addGauge } from '../telemetry/counters.ts'
import { startTracing } from '../telemetry/start-tracing.ts'
import { type CommonServices, openCommonServices, type ServiceOptions } from './common-services.ts'
import type { HostEvent, HostPublished } from './publish-for-host.ts'
import type { Services } from './services.ts'
import type { ExchangeAlone } from './start-exchanging.ts'

/** What runs in a process. Disposing of it finishes what is in flight. */
export interface Running extends AsyncDisposable {
  /** The URL of the server, such as `http://127.0.0.1:4000`. Empty without a server. */
  readonly url: string
  /** Creates the organization and the API key of embedded mode on the first start. Only with the API. */
  provision(dataDir: string): Promise<Provisioned>
  /** Publishes an event of the host application. Only with the API. */
  publish(event: HostEvent): Promise<HostPublished>
  /** Makes a shutdown unclaim the jobs in flight instead of finishing them. */
  abort(): void
}

/** A running API, worker or both. */
export interface App extends Running {
  readonly common: CommonServices
  /** The services of the API. Null without it. */
  readonly services: Services | null
  /** Whether it claims jobs. */
  readonly workerRuns: boolean
  /** Only with `isAlone`. */
  readonly exchange: ExchangeAlone
}

export interface StartOptions extends ServiceOptions {
  /** Whether to serve the configured address. Default: true. */
  readonly listens?: boolean
  /** What `/readyz` and `/metrics` report besides. Default: nothing. */
  readonly rest?: RestOfProcess
  /** Whether it makes the requests of attempts that run alone, in place of its role. Default: no. */
  readonly isAlone?: boolean
  /** Default: it has no thread before it, and none that supervises it. */
  readonly runners?: ThreadRunners
  readonly writing?: SharedArrayBuffer
}

/** Postgres is asked once a second. */
const SILENT_AFTER_MS = 5_000

/** Runs the API, the worker or both on a migrated database. */
export async function startApp(settings: Settings, options: StartOptions = {}): Promise<App> {
  const { rest = NOTHING_ELSE } = options
  const [api, worker, server, alone] = await loadParts(options)
  await using started = new AsyncDisposableStack()
  const common = started.use(openCommonServices(settings, options))
  const { database, logger, outages, metrics } = common
  started.use(await startTracing(process.env, logger))
  await requireListedKeys(database.pool, common.keyring)
  let answeredAtMs = performance.now()
  const isUp = () => Number(performance.now() - answeredAtMs < SILENT_AFTER_MS)
  addGauge(metrics.registry, 'postgres_up', isUp)
  const warn = common.warnOf('the watch of Postgres failed')
  started.use(
    watchPostgres({
      ...database,
      onAnswer() {
        answeredAtMs = performance.now()
        outages.answered()
      },
      onError(error) {
        answeredAtMs = Number.NEGATIVE_INFINITY
        warn(error)
      },
    }),
  )
  const jobs = worker && (await worker.startDelivering(started, common, settings, options))
  const exchange = alone && (await alone.startExchanging(started, common, settings))
  const serving = api && (await api.startServing(started, common, settings))
  const listening = { worker: jobs ?? undefined, rest, addRoutes: serving?.addRoutes }
  const url = server && (await server.startListening(started, common, settings, listening))
  // Disposed before the server: the server waits for open responses, and a stream only ends when its hub closes.
  started.use(serving?.services.live)
  const resources = started.move()
  return {
    common,
    services: serving?.services ?? null,
    url: url ?? '',
    get workerRuns() {
      return jobs?.running === true
    },
    async provision(dataDir) {
      if (serving === null) throw new Error('A worker has nothing to provision.')
      const { provision } = await import('../embedded/provision.ts')
      return await provision(serving.services, dataDir)
    },
    async publish(event) {
      if (serving === null)
        throw new Error('A worker does not publish: use one with the role api or all.')
      const { publishForHost } = await import('./publish-for-host.ts')
      return await publishForHost(serving.services, event)
    },
    abort: () => jobs?.abort(),
    async exchange(...given) {
      if (!exchange) throw new Error('It makes no requests of attempts that run alone.')
      return await exchange(...given)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/**
 * Loads the modules of a role. Call it before anything connects: loading can take seconds on a busy machine, and
 * connections that open meanwhile would time out.
 */
export async function loadParts({
  role = 'all',
  listens = true,
  isAlone = false,
}: Pick<StartOptions, 'role' | 'listens' | 'isAlone'>) {
  return await Promise.all([
    role === 'worker' ? null : import('./start-serving.ts'),
    role === 'api' || isAlone ? null : import('./start-delivering.ts'),
    listens ? import('./start-listening.ts') : null,
    isAlone ? import('./start-exchanging.ts') : null,
  ])
}

const NOTHING_ELSE: RestOfProcess = {
  readiness: async () => ({}),
  metrics: async () => [],
}
