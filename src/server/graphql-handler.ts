import { ownerOf } from '../auth/access/scope.ts'
import type { Authenticate } from '../auth/api-keys/authenticate.ts'
import type { AuthenticateSession } from '../auth/sessions/session.ts'
import type { EventGraph } from '../bodies/event-graph/event-schema.ts'
import { type DomainDeps, type Identify, ORGANIZATION_HEADER } from '../graphql/context.ts'
import { createHandler, type Handle, type HandlerOptions } from '../graphql/handler.ts'
import { CROSS_SITE_DETAIL, isCrossSite, sessionCookie } from '../http/session-cookie.ts'
import { DomainError } from '../lib/errors.ts'
import { actFor } from '../organizations/act-for-organization.ts'
import { describeRequest } from '../telemetry/request-log.ts'
import { schema } from './schema.ts'

export interface GraphqlDeps
  extends DomainDeps,
    Omit<HandlerOptions, 'schema' | 'identify' | 'path'> {
  readonly authenticate: Authenticate
  readonly authenticateSession: AuthenticateSession
}

export const EVENTS_PATH = '/graphql/events'

/**
 * Handles requests to `/graphql` with the whole schema, or to `/graphql/events` with the graph of the event types, for callers
 * with an API key or a session.
 */
export function createGraphqlHandler(deps: GraphqlDeps, graph?: () => Promise<EventGraph>): Handle {
  const identify = createIdentify(deps)
  if (!graph) return createHandler(deps, { ...deps, identify, schema: async () => schema })
  const schemaFor = async (document: string) => await (await graph()).schemaFor(document)
  return createHandler(deps, { ...deps, identify, path: EVENTS_PATH, schema: schemaFor })
}

type IdentifyDeps = Pick<GraphqlDeps, 'authenticate' | 'authenticateSession' | 'sql' | 'publicUrl'>

/**
 * Identifies the caller of a GraphQL request by the API key in the `Authorization` header, or by the session cookie of the
 * console, and the organization that an operator acts for.
 */
export function createIdentify(deps: IdentifyDeps): Identify {
  const cookie = sessionCookie(deps.publicUrl)
  return async (request, address) => {
    const authorization = request.headers.get('authorization')
    const byCookie = authorization === null && cookie.isRequested(request)
    if (byCookie && isCrossSite(request, deps.publicUrl)) {
      throw new DomainError('unauthenticated', CROSS_SITE_DETAIL)
    }
    const caller = byCookie
      ? await deps.authenticateSession(cookie.read(request) ?? '')
      : await deps.authenticate(authorization, address)
    describeRequest({ caller, owner: ownerOf(caller) })
    const header = request.headers.get(ORGANIZATION_HEADER)
    return header === null ? caller : await actFor(deps.sql, caller, header)
  }
}
