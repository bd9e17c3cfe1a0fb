import type { Hono } from 'hono'
import { type Authenticate, createAuthenticate } from '../api-keys/authenticate.ts'
import { findInactiveKeys } from '../api-keys/inactive-keys.ts'
import { heapShare } from '../config/heap-share.ts'
import type { Role, Settings } from '../config/settings.ts'
import { type Database, openDatabase, POOLS } from '../db/client.ts'
import { watchPostgres } from '../db/postgres-watch.ts'
import { createCopySender } from '../deliveries/copies/copy-sender.ts'
import { createKeyring } from '../encryption/keyring.ts'
import { requireListedKeys } from '../encryption/stored-secrets.ts'
import { createCatalogue } from '../event-types/event-type.ts'
import { createPublishEvents, type PublishEvents } from '../events/publish-events.ts'
import { tracePublishing } from '../events/trace-publishing.ts'
import { LiveHub } from '../live/hub.ts'
import { createNotifier, type Notify } from '../live/notify.ts'
import { createAddressGuard } from '../outbound/public-address.ts'
import { createRateLimiter, type RateLimiter } from '../rate-limit/rate-limiter.ts'
import type { HttpServer } from '../server/http-server.ts'
import {
  createMetricsRoutes,
  createOperatorRoutes,
  type RestOfProcess,
} from '../server/operator-routes.ts'
import { patternsOf } from '../server/request-logger.ts'
import { METRICS_PATH } from '../server/server-routes.ts'
import {
  type AuthenticateSession,
  createAuthenticateSession,
} from '../sessions/authenticate-session.ts'
import { findEndedSessions } from '../sessions/ended-sessions.ts'
import type { OidcSignIn } from '../sessions/oidc/oidc-sign-in.ts'
import { countLines } from '../telemetry/log-metrics.ts'
import { createLogger, type Logger } from '../telemetry/logger.ts'
import { addGauge, createMetrics, type Metrics } from '../telemetry/metrics.ts'
import { createOutageLines } from '../telemetry/outage-lines.ts'
import { createOutageLog, type OutageLog } from '../telemetry/outage-log.ts'
import { countFailures } from '../telemetry/outage-metrics.ts'
import { createPoolMetrics } from '../telemetry/pool-metrics.ts'
import { measurePublishing } from '../telemetry/publish-metrics.ts'
import { currentOwner } from '../telemetry/request-log.ts'
import { createRequestMetrics } from '../telemetry/request-metrics.ts'
import { startTracing } from '../telemetry/start-tracing.ts'
import { createTracing, type Tracing } from '../telemetry/tracing.ts'
import { createUpMetric } from '../telemetry/up-metric.ts'
import { watchDatabase } from '../telemetry/watch-database.ts'
import type { TestReceiver } from '../test-receiver/test-receiver.ts'
import type { WebhookDeps } from '../webhooks/webhook.ts'

/** A running API, worker or both. Disposing of it finishes what is in flight, then closes the database. */
export interface App extends AsyncDisposable {
  readonly services: Services
  /** The URL of the server, such as `http://127.0.0.1:4000`. Empty without a server. */
  readonly url: string
  /** Whether it claims jobs. */
  readonly workerRuns: boolean
  /** Makes a shutdown unclaim the jobs in flight instead of finishing them. */
  abort(): void
}

export interface StartOptions {
  /** Default: `all`. */
  readonly role?: Role
  /** Whether to serve the configured address. Default: true. */
  readonly listens?: boolean
  /** What `/readyz` and `/metrics` report besides. Default: nothing. */
  readonly rest?: RestOfProcess
  /** Writes the log lines of outages. Default: each outage that this part of the process notices. */
  readonly outageLines?: Parameters<typeof createOutageLog>[0]
  /** How often this part of the process was started again. Default: 0. */
  readonly restarts?: number
}

/** Runs the API, the worker or both on a migrated database. */
export async function startApp(settings: Settings, options: StartOptions = {}): Promise<App> {
  const { role = 'all', listens = true, rest = NOTHING_ELSE } = options
  const { config } = settings
  // Modules are loaded before anything connects: loading can take seconds on a busy machine, and connections that open
  // meanwhile would time out.
  const [api, worker, server] = await Promise.all([
    role === 'worker' ? null : import('../server/api-routes.ts'),
    role === 'api' ? null : import('./start-delivering.ts'),
    listens ? import('../server/http-server.ts') : null,
  ])
  await using started = new AsyncDisposableStack()
  const services = started.use(openServices(settings, options))
  const { database, logger, outages } = services
  started.use(await startTracing(process.env, logger))
  await requireListedKeys(database.pool, services.webhooks.keyring)
  const up = createUpMetric(services.metrics.registry)
  started.use(
    watchPostgres({
      ...database,
      onAnswer() {
        up.answered()
        outages.answered()
      },
      onError(error) {
        up.failed()
        if (!outages.report(error)) logger.warn({ error }, 'the watch of Postgres failed')
      },
    }),
  )
  const delivering = worker && started.use(await worker.startDelivering(services, settings))
  const routes = createOperatorRoutes({
    ...services,
    worker: delivering?.worker,
    rest,
    servesMetrics: config.metricsPort === null,
  })
  const receiver = api && started.use(await openReceiver(services, settings))
  if (api) {
    const copySender = started.use(createCopySender(settings))
    const oidc = await openOidc(settings)
    api.addApiRoutes(routes, { ...services, testReceiver: receiver, copySender, oidc }, config)
  }
  const listening = server && started.use(await listen(server, routes, services, settings, rest))
  // Disposed before the server: the server waits for open responses, and a stream only ends when its hub closes.
  started.use(services.live)
  const resources = started.move()
  return {
    services,
    url: listening?.url ?? '',
    get workerRuns() {
      return delivering?.worker.running === true
    },
    abort: () => delivering?.worker.abort(),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Sign-in by OpenID Connect. It is loaded only if it is set up, and contacts the provider on the first sign-in. */
async function openOidc({ config, secrets }: Settings): Promise<OidcSignIn | null> {
  if (config.oidc === null) return null
  const { createProvider } = await import('../sessions/oidc/provider.ts')
  return {
    settings: config.oidc,
    provider: createProvider(config.oidc, secrets.oidcClientSecret),
  }
}

/** The test receiver of embedded mode. It is loaded only there. */
async function openReceiver(
  { webhooks, logger }: Services,
  { config, testReceiver }: Settings,
): Promise<TestReceiver | null> {
  if (!testReceiver) return null
  const { openOnLastPort } = await import('../test-receiver/open-on-last-port.ts')
  return await openOnLastPort(config.dataDir, {
    ...testReceiver,
    ...webhooks,
    headerPrefix: config.headerPrefix,
    onWarning: (message) => logger.debug(`the test receiver: ${message}`),
  })
}

/** Serves the routes, and `/metrics` on its own port if it has one. */
async function listen(
  { startHttpServer }: typeof import('../server/http-server.ts'),
  routes: Hono,
  { database, logger, metrics, outages }: Services,
  { config }: Settings,
  rest: RestOfProcess,
): Promise<HttpServer> {
  await using started = new AsyncDisposableStack()
  const watch = started.use(
    watchDatabase({
      ...config,
      sql: database.pipeline,
      onError(error) {
        if (!outages.report(error)) logger.warn({ error }, 'cannot read metrics from the database')
      },
    }),
  )
  metrics.addSource(watch.snapshot)
  const requests = createRequestMetrics(metrics.registry, [...patternsOf(routes), METRICS_PATH])
  if (config.metricsPort !== null) {
    const address = {
      ...config,
      port: config.metricsPort,
      setting: 'POSTHORN_METRICS_PORT',
    } as const
    const metricsRoutes = createMetricsRoutes({ metrics, rest })
    started.use(await startHttpServer(metricsRoutes, address, logger, requests))
  }
  const { url } = started.use(await startHttpServer(routes, config, logger, requests))
  const resources = started.move()
  return { url, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

const NOTHING_ELSE: RestOfProcess = {
  readiness: async () => ({}),
  metrics: async () => [],
}

/** The services that the server, the worker and the commands share. */
export interface Services extends AsyncDisposable {
  readonly logger: Logger
  readonly outages: OutageLog
  readonly metrics: Metrics
  readonly database: Database
  readonly authenticate: Authenticate
  readonly authenticateSession: AuthenticateSession
  readonly rateLimiter: RateLimiter
  readonly webhooks: WebhookDeps
  readonly publishEvents: PublishEvents
  readonly tracing: Tracing
  /** Notifies the subscribers of all processes. */
  readonly notify: Notify
  /** The subscriptions of this process. */
  readonly live: LiveHub
}

const SHARE_OF_CATALOGUE = 1 / 8

/** Connections to Postgres besides those of the pipeline and of the worker runner (`src/queue/runner-pool.ts`). */
const MAX_CONNECTIONS: Readonly<Record<Role, number>> = { all: 15, api: 15, worker: 8 }

/** Opens the services. They connect to Postgres on first use. */
export function openServices(
  { config, secrets }: Settings,
  {
    role = 'all',
    outageLines,
    restarts,
  }: Pick<StartOptions, 'role' | 'outageLines' | 'restarts'> = {},
): Services {
  const metrics = createMetrics(role, restarts)
  const { registry } = metrics
  const logger = createLogger(config.logLevel, countLines(registry))
  const outages = countFailures(registry, createOutageLog(outageLines ?? createOutageLines(logger)))
  const warnOf = (message: string) => (error: unknown) => {
    if (!outages.report(error)) logger.warn({ error }, message)
  }
  const tracing = createTracing()
  const pools = createPoolMetrics(registry, POOLS)
  const database = openDatabase(secrets.databaseUrl, {
    maxConnections: MAX_CONNECTIONS[role],
    purpose: role === 'worker' ? 'jobs' : 'requests',
    // The worker and commands connect directly.
    poolerUrl: role === 'api' ? secrets.poolerUrl : null,
    // The pool replaces an idle connection that breaks. The watch of Postgres finds out whether this is an outage.
    onError: (error) => logger.debug({ error }, 'an idle connection to Postgres broke'),
    ownerOf: currentOwner,
    onWaited: pools.waited,
  })
  pools.watch(database.pools)
  const rateLimiter = createRateLimiter({
    sql: database.pool,
    onError: warnOf('cannot share the usage of API keys between processes'),
  })
  const notifier = createNotifier(database.pool, warnOf('cannot notify subscribers'))
  const live = new LiveHub({
    databaseUrl: secrets.databaseUrl,
    sql: database.pool,
    findInactiveKeys: (keyIds) => findInactiveKeys(database.pool, keyIds),
    findEndedSessions: (sessionIds) => findEndedSessions(database.pool, sessionIds),
    onError: warnOf('the connection of the subscriptions to Postgres broke'),
  })
  addGauge(registry, 'posthorn_subscriptions', 'Open subscriptions.', () => live.size)
  return {
    logger,
    outages,
    metrics,
    tracing,
    database,
    authenticate: createAuthenticate(database.pool),
    authenticateSession: createAuthenticateSession(database.pool),
    rateLimiter,
    webhooks: {
      prisma: database.prisma,
      keyring: createKeyring(secrets.encryptionKeys),
      guard: createAddressGuard(config.egressAllow),
      headerPrefix: config.headerPrefix,
      maxWebhooks: config.maxWebhooks,
    },
    publishEvents: measurePublishing(
      registry,
      tracePublishing(
        tracing,
        createPublishEvents(
          database.pipeline,
          createCatalogue(database.pool, heapShare(config, SHARE_OF_CATALOGUE)),
        ),
      ),
    ),
    notify: notifier.notify,
    live,
    async [Symbol.asyncDispose]() {
      await rateLimiter[Symbol.asyncDispose]()
      await notifier[Symbol.asyncDispose]()
      await live[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}
