import type { YogaServerOptions } from 'graphql-yoga'
import type { Connection } from '../http/connection.ts'
import { CONSOLE_HEADER } from '../http/session-cookie.ts'
import { REQUEST_ID_HEADER } from '../telemetry/request-log.ts'

/** Without a server, there is no connection. */
export type Handle = (request: Request, connection?: Partial<Connection>) => Promise<Response>

/** How long a browser may cache a preflight response, in seconds. */
const MAX_AGE_S = 600

type CorsOptions = Exclude<YogaServerOptions<object, object>['cors'], undefined>

/** Allows pages of these origins to call. Credentials stay off: such pages send an API key in a header, not a cookie. */
export function corsOptions(origins: readonly string[]): CorsOptions {
  return ({ headers }: Request) => {
    const origin = headers.get('origin')
    // For an unlisted origin, yoga answers with `null`, which is the origin of a page in a sandboxed frame.
    if (origin === null || !origins.includes(origin)) return false
    return {
      origin: [origin],
      methods: ['GET', 'POST'],
      allowedHeaders: ['authorization', ...requestedHeaders(headers)],
      exposedHeaders: [
        'ratelimit',
        'ratelimit-policy',
        'retry-after',
        'www-authenticate',
        REQUEST_ID_HEADER,
      ],
      credentials: false,
      maxAge: MAX_AGE_S,
    }
  }
}

/**
 * The headers that a preflight asks for: clients and tracers add their own, and none of them gives a page more rights than
 * its API key. Only the header with which the console's cookie counts stays closed.
 */
function requestedHeaders(headers: Headers): string[] {
  const names = (headers.get('access-control-request-headers') ?? '').split(',')
  return names
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !['', CONSOLE_HEADER, 'authorization'].includes(name))
}
