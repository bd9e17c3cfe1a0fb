import { AsyncLocalStorage } from 'node:async_hooks'
import { publicId } from '../db/ids.ts'
import type { Logger } from './logger.ts'
import { type Limit, type RequestMetrics, UNMEASURED } from './request-metrics.ts'

/** What the handlers of a request add to its log line. Never a URL, a header value or a variable. */
export interface RequestFacts {
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

export interface RequestOutcome {
  /** Null: the connection closed before the response began. */
  readonly status: number | null
  readonly durationMs: number
  /** Whether the connection closed before the response was complete. */
  readonly aborted: boolean
}

export interface RequestReporter {
  /** Writes the one line of a request. */
  finished(request: LoggedRequest, outcome: RequestOutcome): void
  /** Writes the one line of bytes that are not a request, with the code of the parser. */
  rejected(requestId: string, status: number, reason: string | undefined): void
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

/** Probes, scrapes and the files of the console: their lines are for debugging only. */
const QUIET_ROUTE = /^\/(healthz|readyz|metrics|console(?!\/session)|portal)(\/|$)/

/** Clients choose the names of operations. */
const MAX_NAME_LENGTH = 100

export function createRequestReporter(
  logger: Logger,
  metrics: RequestMetrics = UNMEASURED,
): RequestReporter {
  return {
    finished(request, { status, durationMs, aborted }) {
      const route = request.route()
      const isStream = request.operation?.type === 'subscription'
      metrics.finished({ route, status, durationMs, isStream })
      if (request.limit) metrics.limited(request.limit)
      const level = route !== null && QUIET_ROUTE.test(route) ? 'debug' : 'info'
      if (!logger.isLevelEnabled(level)) return
      const { id, method, caller, operation, limit } = request
      logger[level](
        {
          event: 'request.finished',
          method,
          route,
          status,
          durationMs: Math.round(durationMs),
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
        },
        aborted ? 'request aborted' : 'request finished',
      )
    },
    rejected(requestId, status, reason) {
      metrics.finished({ route: null, status, durationMs: 0, isStream: true })
      logger.info(
        { event: 'request.rejected', status, requestId, reason },
        'rejected bytes that are not a valid request',
      )
    },
  }
}
