import { ORGANIZATION_HEADER } from './organization-header.ts'

/** What belongs to the socket that a request came by. */
export interface Connection {
  /** Breaks it, whatever is under way. */
  readonly cut?: () => void
  /** Where it comes from. */
  readonly address?: string | undefined
}

export type Handle = (request: Request, connection?: Connection) => Promise<Response>

/** How long a browser remembers what it was allowed, in seconds. */
const MAX_AGE_S = 600

const ALLOWED_HEADERS = `authorization, content-type, ${ORGANIZATION_HEADER}`
const EXPOSED_HEADERS = 'ratelimit, ratelimit-policy, retry-after, www-authenticate'

/**
 * Lets pages of these origins call from a browser, and none when there are none. Keys travel in a header that a page
 * must know, so there are no credentials to allow.
 */
export function withCors(handle: Handle, origins: readonly string[]): Handle {
  if (origins.length === 0) return handle
  return async (request, connection) => {
    const origin = request.headers.get('origin')
    const allowed = origin !== null && origins.includes(origin)
    const preflight =
      request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
    const response =
      preflight && allowed ? new Response(null, { status: 204 }) : await handle(request, connection)

    response.headers.append('vary', 'origin')
    if (allowed) {
      response.headers.set('access-control-allow-origin', origin)
      response.headers.set('access-control-expose-headers', EXPOSED_HEADERS)
      if (preflight) {
        response.headers.set('access-control-allow-methods', 'GET, POST')
        response.headers.set('access-control-allow-headers', ALLOWED_HEADERS)
        response.headers.set('access-control-max-age', String(MAX_AGE_S))
      }
    }
    return response
  }
}
