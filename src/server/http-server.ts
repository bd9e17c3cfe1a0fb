import type { Server, ServerOptions } from 'node:http'
import { type HttpBindings, serve } from '@hono/node-server'
import type { Hono } from 'hono'
import type { Config } from '../config/config.ts'
import { answerBrokenRequest } from '../http/broken-request.ts'
import { newRequestId } from '../http/connection.ts'
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
import { urlTooLongProblem } from '../http/problem.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { RequestMetrics } from '../telemetry/request-metrics.ts'
import { LOOPBACK, limitConnections } from './connection-limits.ts'
import { createRequestLogger } from './request-logger.ts'

/** How long a shutdown waits for requests in flight. */
const CLOSE_WITHIN_MS = 5_000

const SERVER_OPTIONS: ServerOptions = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
}

/** The listening server. Disposing of it finishes requests in flight, then closes. */
export interface HttpServer extends AsyncDisposable {
  readonly url: string
}

type PortSetting = 'PORT' | 'POSTHORN_METRICS_PORT'

export interface Address extends Pick<Config, 'host' | 'port' | 'trustedProxies'> {
  /** The setting of the port, for errors. Default: `PORT`. */
  readonly setting?: PortSetting
}

/** Listens on the configured address. Throws an error with the remedy if that fails. */
export async function startHttpServer(
  routes: Hono,
  { host, port, trustedProxies, setting = 'PORT' }: Address,
  logger: Logger,
  metrics: RequestMetrics,
): Promise<HttpServer> {
  const requestLog = createRequestLogger(logger, metrics)
  return await new Promise((resolve, reject) => {
    const fetch = (request: Request, env: HttpBindings) =>
      requestLog.run(env.incoming, () =>
        (env.incoming.url?.length ?? 0) > MAX_URL_LENGTH
          ? urlTooLongProblem()
          : routes.fetch(request, env),
      )
    const listening = { fetch, hostname: host, port, serverOptions: SERVER_OPTIONS }
    const server = serve(listening as Parameters<typeof serve>[0], (address) => {
      const hostname = address.family === 'IPv6' ? `[${address.address}]` : address.address
      resolve({
        url: `http://${hostname}:${address.port}`,
        [Symbol.asyncDispose]: () => close(server),
      })
    }) as Server
    server.maxConnections = MAX_CONNECTIONS
    server.setTimeout(INACTIVITY_TIMEOUT_MS)
    limitConnections(server, { exempt: [...LOOPBACK, ...trustedProxies], logger, metrics })
    server.prependListener('request', requestLog.begin)
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const requestId = newRequestId()
      const status = answerBrokenRequest(error, socket, requestId)
      if (status !== null) requestLog.rejected(requestId, status, error.code)
    })
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(listenError(error, { host, port, setting })),
    )
  })
}

async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_WITHIN_MS)
  await closed
  clearTimeout(timer)
}

/** The error of a server that cannot listen, with the remedy. */
function listenError(
  error: NodeJS.ErrnoException,
  { host, port, setting }: { host: string; port: number; setting: PortSetting },
): Error {
  if (error.code === 'EADDRINUSE') {
    return new Error(
      `Port ${port} on ${host} is in use, by another program or a Posthorn that already runs. Stop it, or choose another port: ${setting}=${port + 1}`,
      { cause: error },
    )
  }
  if (error.code === 'EACCES') {
    return new Error(
      `This user may not listen on port ${port}. Choose a port above 1023 with ${setting}.`,
      { cause: error },
    )
  }
  return error
}
