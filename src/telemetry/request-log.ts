import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Counter, Histogram } from 'prom-client'
import { publicId } from '../db/ids.ts'
import type { Limit } from './counters.ts'
import type { Logger } from './logger.ts'
import type { Metrics } from './metrics.ts'

/** What the handlers of a request add to its log line. Never a URL, a header value or a variable. */
interface RequestFacts {
  /** The pattern of the route, such as `/api/connect/v1/webhooks/{webhook_id}`. Null: no route matches. */
  route(): string | null
  /** The uuids of the API key and of the organization that it acts for. */
  caller: { readonly keyId: string; readonly organizationId: string } | null
  /** Who the request counts for, when requests share connections to Postgres. Not logged. */
  owner: string | null
  /** The GraphQL operation. */
  operation: { readonly type: string; readonly name: string | undefined } | null
  /** The limit that rejected the request. */
  limit: Limit | null
}

/** A request of the HTTP server. */
export interface LoggedRequest extends RequestFacts {
  readonly id: string
  readonly method: string
  /** The headers of its trace, as sent. */
  readonly trace: { readonly traceParent: string; readonly traceState: string | null } | null
}

const current = new AsyncLocalStorage<LoggedRequest>()

/** Runs the handlers of a request: within them, `describeRequest` and `currentRequestId` are about this request. */
export function runRequest<Result>(request: LoggedRequest, handle: () => Result): Result {
  return current.run(request, handle)
}

/** Adds facts to the log line of the current request. Outside of a request, it does nothing. */
export function describeRequest(facts: Partial<RequestFacts>): void {
  const request = current.getStore()
  if (request) Object.assign(request, facts)
}

/** Null: unknown yet, or outside of a request. */
export function currentOwner(): string | null {
  return current.getStore()?.owner ?? null
}

export function currentTraceContext(): LoggedRequest['trace'] {
  return current.getStore()?.trace ?? null
}

export function currentRequestId(): string | undefined {
  return current.getStore()?.id
}

/** Gives every request an id and, when its response has ended, a line in the log. Counts the requests. */
export interface RequestLogger {
  /** Runs the handlers of a request. The response must have its id. */
  run<Result>(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    handle: (incoming: IncomingMessage, outgoing: ServerResponse) => Result,
  ): Result
  /** Counts a request or a connection that this limit rejected. */
  limited(limit: Limit): void
}

const STATUSES = ['2xx', '3xx', '4xx', '5xx', 'none']

/** For requests that match no route. */
const NO_ROUTE = 'none'

export function createRequestLogger(logger: Logger, { registry, count }: Metrics): RequestLogger {
  const counter = new Counter({
    name: 'posthorn_http_requests_total',
    help: 'Requests by the pattern of their route and the class of their status: none if the client closed the connection first, or if no route matches. GraphQL answers most errors with 200.',
    labelNames: ['route', 'status'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'posthorn_http_request_duration_seconds',
    help: 'Durations of requests, from the end of the headers to the end of the response, without subscriptions.',
    labelNames: ['route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const limited = (limit: Limit) => count('limit_rejections', 1, limit)
  const knownRoutes = new Set<string>()
  return {
    limited,
    run(incoming, outgoing, handle) {
      const given = `${incoming.headers[REQUEST_ID_HEADER] ?? ''}`
      const request: LoggedRequest = {
        id: REQUEST_ID.test(given) ? given : randomUUID(),
        method: incoming.method ?? '',
        route: () => null,
        caller: null,
        owner: null,
        operation: null,
        limit: null,
        trace: traceOf(incoming.headers),
      }
      const startedAtMs = performance.now()
      outgoing.on('close', () => {
        const durationMs = performance.now() - startedAtMs
        const status = outgoing.headersSent ? outgoing.statusCode : null
        const route = request.route()
        const label = route ?? NO_ROUTE
        const isStream = request.operation?.type === 'subscription'
        const statusClass = status === null ? 'none' : `${Math.floor(status / 100)}xx`
        counter.inc({ route: label, status: statusClass })
        if (!knownRoutes.has(label)) {
          knownRoutes.add(label)
          // A rate needs the 0 before the first failure.
          for (const each of STATUSES) counter.inc({ route: label, status: each }, 0)
        }
        if (!isStream) duration.observe({ route: label }, durationMs / 1_000)
        if (request.limit) limited(request.limit)
        const isSlow = durationMs > SLOW_MS && !isStream
        const level = isSlow || (status !== null && status >= 500) ? 'info' : 'debug'
        if (!logger.isLevelEnabled(level)) return
        const aborted = !outgoing.writableFinished
        const line = { status, durationMs: Math.round(durationMs), aborted }
        logger[level](
          lineOf(request, route, line),
          aborted ? 'request aborted' : 'request finished',
        )
      })
      return current.run(request, handle, incoming, outgoing)
    },
  }
}

/** Slower requests, and those that fail with 5xx, have a line at `info`; all others at `debug`. */
const SLOW_MS = 1_000

/** Clients choose the names of operations. */
const MAX_NAME_LENGTH = 100

function lineOf(
  { id, method, caller, operation, limit }: LoggedRequest,
  route: string | null,
  { aborted, ...outcome }: { status: number | null; durationMs: number; aborted: boolean },
) {
  return {
    event: 'request.finished',
    method,
    route,
    ...outcome,
    requestId: id,
    ...(caller && {
      keyId: publicId('apiKey', caller.keyId),
      organizationId: publicId('organization', caller.organizationId),
    }),
    ...(operation && {
      operationType: operation.type,
      operationName: operation.name?.slice(0, MAX_NAME_LENGTH),
    }),
    ...(limit && { limit }),
    ...(aborted && { aborted }),
  }
}

function traceOf(headers: IncomingHttpHeaders): LoggedRequest['trace'] {
  const { traceparent, tracestate } = headers
  if (typeof traceparent !== 'string') return null
  return { traceParent: traceparent, traceState: tracestate ? String(tracestate) : null }
}

/** Identifies a request in its response and in the log. */
export const REQUEST_ID_HEADER = 'x-request-id'

/** 1 to 128 visible ASCII characters, so no repeated header, which Node joins with a space. Another value is replaced. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/
