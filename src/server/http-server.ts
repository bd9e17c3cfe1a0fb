import type { Server, ServerOptions } from 'node:http'
import { type HttpBindings, serve } from '@hono/node-server'
import { Hono } from 'hono'
import type { Config } from '../config/config.ts'
import type { Sql } from '../db/client.ts'
import { answerBrokenRequest } from '../http/broken-request.ts'
import {
  HEADERS_TIMEOUT_MS,
  INACTIVITY_TIMEOUT_MS,
  KEEP_ALIVE_MS,
  MAX_CONNECTIONS,
  MAX_HEADER_BYTES,
  MAX_URL_LENGTH,
  REQUEST_TIMEOUT_MS,
  TIMEOUT_CHECK_INTERVAL_MS,
} from '../http/http-limits.ts'
import { notFoundProblem, urlTooLongProblem } from '../http/problem.ts'
import { unappliedMigrations } from '../migrate/migrate.ts'
import type { Worker } from '../queue/runner.ts'
import type { Services } from '../services.ts'

/** What one process of Posthorn is for: both, only the API, or only deliveries. */
export type Role = 'all' | 'api' | 'worker'

/** `/readyz` calls Postgres away when it has not answered by then. */
const READY_WITHIN_MS = 2_000

/** How long a shutdown waits for requests in flight. */
const CLOSE_WITHIN_MS = 5_000

const SERVER_OPTIONS: ServerOptions = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
}

/** The listening server. Disposing of it answers what has begun, then closes. */
export interface HttpServer extends AsyncDisposable {
  readonly url: string
}

/** What every process answers its operators, whatever its role. It is not ready until its start is through. */
export function createRoutes(
  services: Services,
  worker: Worker | null,
  hasStarted: () => boolean,
): Hono {
  const routes = new Hono()
  routes.get('/healthz', (context) => context.json({ status: 'ok' }))
  routes.get('/readyz', async (context) => {
    const checks = await readiness(services, worker, hasStarted)
    const ready = Object.values(checks).every((check) => check === 'ok')
    return context.json({ status: ready ? 'ok' : 'unavailable', checks }, ready ? 200 : 503)
  })
  routes.get('/metrics', async (context) =>
    context.body(await services.metrics.render(), 200, {
      'content-type': services.metrics.contentType,
    }),
  )
  routes.notFound((context) => notFoundProblem(context.req.path))
  return routes
}

/** Listens on the configured address; throws with the remedy when it cannot. */
export async function startServer(
  routes: Hono,
  { host, port }: Pick<Config, 'host' | 'port'>,
): Promise<HttpServer> {
  return await new Promise((resolve, reject) => {
    const fetch = (request: Request, env: HttpBindings) =>
      (env.incoming.url?.length ?? 0) > MAX_URL_LENGTH
        ? urlTooLongProblem()
        : routes.fetch(request, env)
    const listening = { fetch, hostname: host, port, serverOptions: SERVER_OPTIONS }
    const server = serve(listening as Parameters<typeof serve>[0], (address) => {
      const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address
      resolve({
        url: `http://${shown}:${address.port}`,
        [Symbol.asyncDispose]: () => close(server),
      })
    }) as Server
    server.maxConnections = MAX_CONNECTIONS
    server.setTimeout(INACTIVITY_TIMEOUT_MS)
    server.on('clientError', answerBrokenRequest)
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)))
  })
}

type Check = 'ok' | 'unavailable'

async function readiness(
  { database }: Services,
  worker: Worker | null,
  hasStarted: () => boolean,
): Promise<Record<string, Check>> {
  const inTime = new Promise<null>((resolve) => setTimeout(resolve, READY_WITHIN_MS, null).unref())
  const [writable, unapplied] = await Promise.all([
    Promise.race([isWritable(database.pool).catch(() => null), inTime]),
    Promise.race([unappliedMigrations(database.pool).catch(() => null), inTime]),
  ])
  return {
    postgres: writable && unapplied !== null ? 'ok' : 'unavailable',
    migrations: unapplied?.length === 0 ? 'ok' : 'unavailable',
    ...(worker && { worker: worker.running ? ('ok' as const) : ('unavailable' as const) }),
    ...(!hasStarted() && { start: 'unavailable' as const }),
  }
}

/** After a failover, the server that is reached may be one that only reads. */
async function isWritable(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query<{ only_reads: string }>(
    `select current_setting('transaction_read_only') as only_reads`,
  )
  return rows[0]?.only_reads === 'off'
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new Error(
      `Port ${port} on ${host} is taken by another program. Stop it, or choose another port: PORT=${port + 1}`,
      { cause: error },
    )
  }
  if (error.code === 'EACCES') {
    return new Error(
      `Port ${port} may not be used by this user. Choose one above 1023 with PORT.`,
      { cause: error },
    )
  }
  return error
}

async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_WITHIN_MS)
  await closed
  clearTimeout(timer)
}
