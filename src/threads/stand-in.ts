import type { Config } from '../config/config.ts'
import { restartingProblem } from '../http/problem.ts'
import { type HttpServer, startHttpServer } from '../server/http-server.ts'
import { createServerRoutes, HEALTH_PATH } from '../server/server-routes.ts'
import type { Logger } from '../telemetry/logger.ts'

/** Answers for the thread of the API while that is started again: the process lives, and clients shall try again. */
export async function startStandIn(
  address: Pick<Config, 'host' | 'port' | 'trustedProxies'>,
  logger: Logger,
): Promise<HttpServer> {
  const routes = createServerRoutes()
  routes.get(HEALTH_PATH, (context) => context.json({ status: 'ok' }))
  routes.all('*', () => restartingProblem())
  return await startHttpServer(routes, address, logger)
}
