import type { YogaServerOptions } from 'graphql-yoga'
import { ORGANIZATION_HEADER } from './organization-header.ts'

/** What belongs to the socket that a request came by. */
export interface Connection {
  /** Breaks it, whatever is under way. */
  readonly cut?: () => void
  /** Where it comes from. */
  readonly address?: string | undefined
}

export type Handle = (request: Request, connection?: Connection) => Promise<Response>

/** How long a browser may remember a preflight, in seconds. */
const MAX_AGE_S = 600

type CorsOptions = Exclude<YogaServerOptions<object, object>['cors'], undefined>

/**
 * Lets the pages of these origins call from a browser. An API key travels in a header that a page must know, so there
 * are no credentials to allow.
 */
export function corsOptions(origins: readonly string[]): CorsOptions {
  return ({ headers }: Request) => {
    const origin = headers.get('origin')
    // For an origin outside a list yoga answers `null`, which a page in a sandboxed frame has as its origin.
    if (origin === null || !origins.includes(origin)) return false
    return {
      origin: [origin],
      methods: ['GET', 'POST'],
      allowedHeaders: ['authorization', 'content-type', ORGANIZATION_HEADER],
      exposedHeaders: ['ratelimit', 'ratelimit-policy', 'retry-after', 'www-authenticate'],
      credentials: false,
      maxAge: MAX_AGE_S,
    }
  }
}
