import { createServer, type Server, type ServerOptions } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { Hono, type MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import { type Config, LOOPBACK } from '../config/config.ts'
import { type DirectHandler, plainAddress } from '../http/connection.ts'
import { notFoundProblem } from '../http/problem.ts'
import { networkOf } from '../lib/address-network.ts'
import { createRangeCheck } from '../outbound/public-address.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { RequestLogger } from '../telemetry/request-log.ts'
import { currentRequestId, describeRequest, REQUEST_ID_HEADER } from '../telemetry/request-log.ts'

/** How long a shutdown waits for requests in flight. */
const CLOSE_WITHIN_MS = 5_000

/* Limits that hold before authentication. The limits of bodies are where bodies are read. */
const SERVER_OPTIONS = {
  /** The request line and the headers together, in bytes. Larger ones get a 431. */
  maxHeaderSize: 32 * 1024,
  /** Receiving the headers, in milliseconds. Slower requests get a 408, and the connection is closed. */
  headersTimeout: 10_000,
  /** Receiving the whole request, with the same consequence. */
  requestTimeout: 30_000,
  /** How often Node checks for the two timeouts above. */
  connectionsCheckingInterval: 1_000,
  /** How long a connection may be idle between requests. Longer than in load balancers, which close after a minute. */
  keepAliveTimeout: 65_000,
  /** A credential that is given twice is no credential. */
  joinDuplicateHeaders: true,
} satisfies ServerOptions

/** How long a connection may be inactive during a request or a response. Streams send keep-alives more often. */
const INACTIVITY_TIMEOUT_MS = 120_000

/** The connections of one process. Further ones are closed on arrival. */
const MAX_CONNECTIONS = 10_000

/** The connections of one address, or of one IPv6 /64 network, to one process. Further ones are closed on arrival. */
const MAX_CONNECTIONS_PER_ADDRESS = 500

/** The listening server. Disposing of it finishes requests in flight, then closes. */
interface HttpServer extends AsyncDisposable {
  readonly url: string
}

export interface Address extends Pick<Config, 'host' | 'port' | 'trustedProxies'> {
  /** The setting of the port, for errors. Default: `PORT`. */
  readonly setting?: 'PORT' | 'POSTHORN_METRICS_PORT'
}

/** Listens on the configured address. Throws an error with the remedy if that fails. `direct`: by their paths. */
export async function startHttpServer(
  routes: Hono,
  address: Address,
  logger: Logger,
  requestLog: RequestLogger,
  direct: ReadonlyMap<string, DirectHandler> = new Map(),
): Promise<HttpServer> {
  const { host, port, trustedProxies } = address
  return await new Promise((resolve, reject) => {
    const answer: Parameters<typeof getRequestListener>[0] = (request, env) => {
      env.outgoing.setHeader(REQUEST_ID_HEADER, currentRequestId() ?? '')
      return routes.fetch(request, env)
    }
    const fetch = getRequestListener(answer, { hostname: host })
    const server = createServer(SERVER_OPTIONS, (incoming, outgoing) => {
      const { url = '' } = incoming
      const handle = direct.get(url) ?? direct.get(pathOf(url).replace(SLASH_AT_END, ''))
      void requestLog.run(incoming, outgoing, handle ?? fetch)
    })
    server.listen(port, host, () => {
      const bound = server.address() as AddressInfo
      const hostname = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address
      resolve({
        url: `http://${hostname}:${bound.port}`,
        [Symbol.asyncDispose]: () => close(server),
      })
    })
    server.maxConnections = MAX_CONNECTIONS
    server.setTimeout(INACTIVITY_TIMEOUT_MS)
    // A proxy may run on the same machine.
    const exempt = [...LOOPBACK, ...trustedProxies]
    limitConnections(server, { exempt, logger, limited: requestLog.limited })
    server.once('error', (error) => reject(listenError(error, address)))
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
function listenError(error: NodeJS.ErrnoException, { host, port, setting = 'PORT' }: Address) {
  if (error.code !== 'EADDRINUSE') return error
  return new Error(
    `Port ${port} on ${host} is in use, by another program or a Posthorn that already runs. Stop it, or choose another port: ${setting}=${port + 1}`,
    { cause: error },
  )
}

export interface ConnectionLimits {
  /** The address ranges of connections that many clients share. They have no limit. */
  readonly exempt: readonly string[]
  readonly logger: Pick<Logger, 'warn'>
  /** Called for each connection that is closed. Default: nothing. */
  readonly limited?: RequestLogger['limited']
  readonly maxPerAddress?: number
}

/** Keeps one client from using all connections. */
export function limitConnections(
  server: Server,
  { exempt, logger, limited, maxPerAddress = MAX_CONNECTIONS_PER_ADDRESS }: ConnectionLimits,
): void {
  const isExempt = createRangeCheck(exempt)
  const open = new Map<string, number>()
  const warn = createWarning(logger)

  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '')
    if (isExempt(address)) return
    const network = networkOf(address)
    const count = open.get(network) ?? 0
    if (count >= maxPerAddress) {
      socket.destroy()
      warn(address, maxPerAddress)
      limited?.('connections')
      return
    }
    open.set(network, count + 1)
    socket.once('close', () => {
      const left = (open.get(network) as number) - 1
      if (left === 0) open.delete(network)
      else open.set(network, left)
    })
  })
}

const WARN_EVERY_MS = 60_000

function createWarning(logger: Pick<Logger, 'warn'>) {
  let lastAtMs = Number.NEGATIVE_INFINITY
  return (address: string, limit: number) => {
    if (performance.now() - lastAtMs < WARN_EVERY_MS) return
    lastAtMs = performance.now()
    logger.warn(
      { event: 'connections.rejected', address, limit },
      `closed a connection: ${address} has ${limit} open; if this is a proxy of yours, add it to POSTHORN_TRUSTED_PROXIES`,
    )
  }
}

/**
 * The routes of a server: none yet. The path is as it was sent: no dot segment is resolved and no escape decoded, so a path that
 * a proxy closes has no other spelling. A slash at the end makes no difference, except of the exact paths.
 */
export function createServerRoutes(exactPaths: readonly string[]): Hono {
  const getPath = (request: Request, options?: { env?: unknown }) => {
    const { incoming } = (options?.env ?? {}) as Partial<HttpBindings>
    const path = pathOf(incoming?.url ?? request.url)
    const bare = path.replace(SLASH_AT_END, '')
    return exactPaths.includes(bare) ? path : bare
  }
  const routes = new Hono({ getPath })
  routes.use(logRoute)
  routes.notFound((context) => notFoundProblem(context.req.path))
  return routes
}

/** A `Request` has a whole URL, and so has a request that is meant for a proxy. */
const ORIGIN = /^https?:\/\/[^/?#]*/i
const QUERY = /[?#].*$/s
const SLASH_AT_END = /(?<=.)\/$/

const pathOf = (url: string) => url.replace(ORIGIN, '').replace(QUERY, '')

/** Adds the pattern of the matched route to the line of the request, for an aborted request too. */
const logRoute: MiddlewareHandler = async (context, next) => {
  describeRequest({ route: () => patternOf(routePath(context)) })
  await next()
}

/** `/webhooks/:webhook_id` -> `/webhooks/{webhook_id}`, as in the OpenAPI document; null for a middleware of all paths. */
function patternOf(path: string): string | null {
  return /^\/?\*?$/.test(path) ? null : path.replaceAll(/:(\w+)(\{[^}]*\})?/g, '{$1}')
}
