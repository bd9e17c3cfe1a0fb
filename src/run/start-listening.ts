import type { Hono } from 'hono'
import type { Settings } from '../config/settings.ts'
import type { Worker } from '../queue/worker.ts'
import { startHttpServer } from '../server/http-server.ts'
import {
  createMetricsRoutes,
  createOperatorRoutes,
  type RestOfProcess,
} from '../server/operator-routes.ts'
import { patternsOf } from '../server/request-logger.ts'
import { METRICS_PATH } from '../server/server-routes.ts'
import { watchDatabase } from '../telemetry/database-metrics.ts'
import { createRequestMetrics } from '../telemetry/request-metrics.ts'
import type { CommonServices } from './common-services.ts'

interface ListenOptions {
  /** The worker of this thread, if its role includes one. */
  readonly worker: Worker | undefined
  readonly rest: RestOfProcess
  /** Adds routes to those of every process. Default: none. */
  readonly addRoutes: ((routes: Hono) => void) | undefined
}

/** Serves the routes at the configured address, and `/metrics` on its own port if it has one. Returns the URL. */
export async function startListening(
  started: AsyncDisposableStack,
  { database, logger, memory, metrics, warnOf }: CommonServices,
  { config }: Settings,
  { worker, rest, addRoutes }: ListenOptions,
): Promise<string> {
  const servesMetrics = config.metricsPort === null
  const routes = createOperatorRoutes({ database, memory, metrics, worker, rest, servesMetrics })
  addRoutes?.(routes)
  const watch = started.use(
    watchDatabase({
      ...config,
      sql: database.pipeline,
      onError: warnOf('cannot read metrics from the database'),
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
  return url
}
