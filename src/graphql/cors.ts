import type { YogaServerOptions } from 'graphql-yoga'
import type { RequestMemory } from '../http/connection.ts'
import { REQUEST_ID_HEADER } from '../http/request-id.ts'
import { ORGANIZATION_HEADER } from './organization-header.ts'

/** The connection that a request came in on. */
export interface Connection {
  /** Closes the connection at once. */
  readonly cut?: () => void
  /** The remote address. */
  readonly address?: string | undefined
  /** The memory of the request, if it is counted. */
  readonly memory?: RequestMemory | undefined
}

export type Handle = (request: Request, connection?: Connection) => Promise<Response>

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
      allowedHeaders: ['authorization', 'content-type', ORGANIZATION_HEADER, REQUEST_ID_HEADER],
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
