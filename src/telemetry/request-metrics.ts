import { Counter, Histogram, type Registry } from 'prom-client'
import { addCounter, type Limit } from './counters.ts'

export interface RequestMetrics {
  /** `route` and `status` are null if there is none. Streams have no duration. */
  finished(request: CountedRequest): void
  limited(limit: Limit): void
}

interface CountedRequest {
  readonly route: string | null
  readonly status: number | null
  readonly durationMs: number
  readonly isStream: boolean
}

const STATUSES = ['2xx', '3xx', '4xx', '5xx', 'none']

/** For requests that match no route, or are no valid HTTP. */
const NO_ROUTE = 'none'

export function createRequestMetrics(
  registry: Registry,
  routes: readonly string[],
): RequestMetrics {
  const requests = new Counter({
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
  const countLimited = addCounter(registry, 'limit_rejections')
  for (const route of [...routes, NO_ROUTE]) {
    for (const status of STATUSES) requests.inc({ route, status }, 0)
    duration.zero({ route })
  }
  return {
    finished({ route, status, durationMs, isStream }) {
      const label = route ?? NO_ROUTE
      requests.inc({
        route: label,
        status: status === null ? 'none' : `${Math.floor(status / 100)}xx`,
      })
      if (!isStream) duration.observe({ route: label }, durationMs / 1_000)
    },
    limited: (limit) => countLimited(1, limit),
  }
}
