import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { notFoundProblem } from '../http/problem.ts'
import { logRoute } from './request-logger.ts'

export const HEALTH_PATH = '/healthz'
export const READY_PATH = '/readyz'
export const METRICS_PATH = '/metrics'

/** They need no key, so proxies close them by their spelling. */
const EXACT_PATHS: readonly string[] = [HEALTH_PATH, READY_PATH, METRICS_PATH]

/** The routes of a server: none yet. */
export function createServerRoutes(): Hono {
  const routes = new Hono({ getPath: pathOf })
  routes.use(logRoute)
  routes.notFound((context) => notFoundProblem(context.req.path))
  return routes
}

/**
 * The path as it was sent: no dot segment is resolved and no escape decoded, so a path that a proxy closes has no other
 * spelling. A slash at the end makes no difference, except of the exact paths.
 */
function pathOf(request: Request, options?: { env?: unknown }): string {
  const { incoming } = (options?.env ?? {}) as Partial<HttpBindings>
  const path = (incoming?.url ?? request.url).replace(ORIGIN, '').replace(QUERY, '')
  const bare = path.replace(SLASH_AT_END, '')
  return EXACT_PATHS.includes(bare) ? path : bare
}

/** A `Request` has a whole URL, and so has a request that is meant for a proxy. */
const ORIGIN = /^https?:\/\/[^/?#]*/i
const QUERY = /[?#].*$/s
const SLASH_AT_END = /(?<=.)\/$/
