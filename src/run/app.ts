import { resourceLimits } from 'node:worker_threads'
import { requireListedKeys } from '../auth/encryption/stored-secrets.ts'
import type { OidcSignIn } from '../auth/sessions/oidc/oidc-sign-in.ts'
import type { Role, Settings } from '../config/settings.ts'
import type { PublishedEvent } from '../events/publish-events.ts'
import { startHttpServer } from '../server/http-server.ts'
import { createMetricsRoutes, createOperatorRoutes } from '../server/operator-routes.ts'
import { watchDatabase } from '../telemetry/database-metrics.ts'
import { watchMemory } from '../telemetry/memory.ts'
import { watchPostgres } from '../telemetry/postgres-watch.ts'
import { createRequestLogger } from '../telemetry/request-log.ts'
import { startTracing } from '../telemetry/start-tracing.ts'
import { type CommonServices, openCommonServices } from './common-services.ts'
import type { Provisioned } from './embedded/provision.ts'
import type { HostEvent } from './publish-for-host.ts'
import type { Services } from './services.ts'

/** What runs in a process. Disposing of it finishes what is in flight. */
export interface Running extends AsyncDisposable {
  /** The URL of the server, such as `http://127.0.0.1:4000`. */
  readonly url: string
  /** The organization and the key of embedded mode. Null without it, and for a worker. */
  readonly provisioned: Provisioned | null
  /** Publishes an event of the host application. Only with the API. */
  publish(event: HostEvent): Promise<PublishedEvent>
  /** Makes a shutdown unclaim the jobs in flight instead of finishing them. */
  abort(): void
}

/** A running API, worker or both. */
export interface App extends Running {
  readonly common: CommonServices
  /** The services of the API. Null without it. */
  readonly services: Services | null
}

/** Runs the API, the worker or both on a migrated database. `restarts`: how often the thread was started again. */
export async function startApp(settings: Settings, role: Role, restarts = 0): Promise<App> {
  const { config } = settings
  const [api, worker] = await loadRole(role)
  await using started = new AsyncDisposableStack()
  const common = started.use(openCommonServices(settings, role, restarts))
  const { database, logger } = common
  started.use(await startTracing(process.env, logger))
  await requireListedKeys(database.pool, common.keyring)
  started.use(watchMemory(logger, resourceLimits.maxOldGenerationSizeMb))
  started.use(watchPostgres(database, common.outages, common.metrics))

  const ofJobs = { ...common, database: { ...database, pool: database.jobs } }
  const jobs = worker && (await worker.startDelivering(started, ofJobs, settings))
  const services = api && started.use(api.addServices(common, settings))
  const routes = createOperatorRoutes({
    ...common,
    worker: jobs,
    servesMetrics: config.metricsPort === null,
  })
  const oidc = services && (await openOidc(settings))
  const direct = services ? api.addApiRoutes(routes, { ...services, oidc }, config) : undefined
  const onError = common.outages.warnOf('cannot read metrics from the database')
  const watch = started.use(watchDatabase(database.pipeline, config, onError))
  common.metrics.addSource(watch.render)
  const requests = createRequestLogger(logger, common.metrics)
  if (config.metricsPort !== null) {
    const setting = 'POSTHORN_METRICS_PORT'
    const address = { ...config, port: config.metricsPort, setting } as const
    const metricsRoutes = createMetricsRoutes(common.metrics)
    started.use(await startHttpServer(metricsRoutes, address, logger, requests))
  }
  const { url } = started.use(await startHttpServer(routes, config, logger, requests, direct))
  let provisioned: Provisioned | null = null
  if (services && config.database === 'embedded') {
    const { provision } = await import('./embedded/provision.ts')
    provisioned = await provision(services, config.dataDir)
  }
  // Disposed before the server: the server waits for open responses, and a stream only ends when its hub closes.
  started.use(services?.live)

  const resources = started.move()
  return {
    common,
    services,
    url,
    provisioned,
    async publish(event) {
      if (services === null)
        throw new Error('A worker does not publish: use one with the role api or all.')
      const { publishForHost } = await import('./publish-for-host.ts')
      return await publishForHost(services, event)
    },
    abort: () => jobs?.abort(),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/**
 * Loads the modules of a role. Call it before anything connects: loading can take seconds on a busy machine, and
 * connections that open meanwhile would time out.
 */
async function loadRole(role: Role) {
  return await Promise.all([
    role === 'worker' ? null : loadApi(),
    role === 'api' ? null : import('./start-delivering.ts'),
  ])
}

async function loadApi() {
  const [{ addServices }, { addApiRoutes }] = await Promise.all([
    import('./services.ts'),
    import('../server/api-routes.ts'),
  ])
  return { addServices, addApiRoutes }
}

/** Sign-in by OpenID Connect. It is loaded only if it is set up, and contacts the provider on the first sign-in. */
async function openOidc({ config, secrets }: Settings): Promise<OidcSignIn | null> {
  if (config.oidc === null) return null
  const { createProvider } = await import('../auth/sessions/oidc/provider.ts')
  return {
    settings: config.oidc,
    provider: createProvider(config.oidc, secrets.oidcClientSecret),
  }
}
