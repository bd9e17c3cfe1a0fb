import { AsyncLocalStorage } from 'node:async_hooks'
import type { Limit } from './counters.ts'

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
