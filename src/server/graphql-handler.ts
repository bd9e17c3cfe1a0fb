import type { Authenticate } from '../api-keys/authenticate.ts'
import type { DomainDeps } from '../graphql/context.ts'
import type { Handle } from '../graphql/cors.ts'
import { createHandler, type HandlerOptions } from '../graphql/handler.ts'
import type { AuthenticateSession } from '../sessions/authenticate-session.ts'
import { createIdentify } from './identify.ts'
import { schema } from './schema.ts'

export interface GraphqlDeps extends DomainDeps, Omit<HandlerOptions, 'schema' | 'identify'> {
  readonly authenticate: Authenticate
  readonly authenticateSession: AuthenticateSession
}

/** Handles requests to `/graphql` with the whole schema, for callers with an API key or a session. */
export function createGraphqlHandler(deps: GraphqlDeps): Handle {
  return createHandler(deps, { ...deps, schema, identify: createIdentify(deps) })
}
