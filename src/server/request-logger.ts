import type { HttpBindings } from '@hono/node-server'
import type { Hono, MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import { REQUEST_ID_HEADER, requestIdOf } from '../http/connection.ts'
import {
  describeRequest,
  type LoggedRequest,
  type RequestReporter,
  runRequest,
} from '../telemetry/request-log.ts'

type Incoming = HttpBindings['incoming']

/** Gives every request an id and, when its response has ended, a line in the log. */
export interface RequestLogger {
  /** Call it for a request before any handler. */
  begin(incoming: Incoming, outgoing: HttpBindings['outgoing']): void
  /** Runs the handlers of the request. */
  run<Result>(incoming: Incoming, handle: () => Result): Result
}

export function createRequestLogger(reporter: RequestReporter): RequestLogger {
  const requests = new WeakMap<Incoming, LoggedRequest>()
  return {
    begin(incoming, outgoing) {
      const request: LoggedRequest = {
        id: requestIdOf(incoming.headers[REQUEST_ID_HEADER]),
        method: incoming.method ?? '',
        route: () => null,
        caller: null,
        owner: null,
        operation: null,
        limit: null,
        trace: traceOf(incoming.headers),
      }
      const startedAtMs = performance.now()
      requests.set(incoming, request)
      outgoing.setHeader(REQUEST_ID_HEADER, request.id)
      outgoing.once('close', () =>
        reporter.finished(request, {
          status: outgoing.headersSent ? outgoing.statusCode : null,
          durationMs: performance.now() - startedAtMs,
          aborted: !outgoing.writableFinished,
        }),
      )
    },
    run(incoming, handle) {
      const request = requests.get(incoming)
      return request ? runRequest(request, handle) : handle()
    },
  }
}

function traceOf(headers: Incoming['headers']): LoggedRequest['trace'] {
  const { traceparent, tracestate } = headers
  if (typeof traceparent !== 'string') return null
  return { traceParent: traceparent, traceState: tracestate ? String(tracestate) : null }
}

/** Adds the pattern of the matched route to the line of the request, for an aborted request too. */
export const logRoute: MiddlewareHandler = async (context, next) => {
  describeRequest({ route: () => patternOf(routePath(context)) })
  await next()
}

/** The patterns of all routes. */
export function patternsOf(routes: Hono): string[] {
  return [...new Set(routes.routes.flatMap(({ path }) => patternOf(path) ?? []))].sort()
}

/** `/webhooks/:webhook_id` -> `/webhooks/{webhook_id}`, as in the OpenAPI document; null for a middleware of all paths. */
function patternOf(path: string): string | null {
  return /^\/?\*?$/.test(path) ? null : path.replaceAll(/:(\w+)(\{[^}]*\})?/g, '{$1}')
}
