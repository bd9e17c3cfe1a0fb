import type { Authenticate } from '../api-keys/authenticate.ts'
import type { EventStreams } from '../event-stream/event-streams.ts'
import { useEventExecutor } from '../event-stream/graph/execute.ts'
import type { EventGraph } from '../event-stream/graph/follow-schema.ts'
import type { DomainDeps } from '../graphql/context.ts'
import type { Handle } from '../graphql/cors.ts'
import { createHandler, type HandlerOptions } from '../graphql/handler.ts'
import type { AuthenticateSession } from '../sessions/authenticate-session.ts'
import { createIdentify } from './identify.ts'
import { schema } from './schema.ts'

export interface GraphqlDeps
  extends DomainDeps,
    Omit<HandlerOptions, 'schema' | 'identify' | 'path' | 'executor'> {
  readonly authenticate: Authenticate
  readonly authenticateSession: AuthenticateSession
}

/** Handles requests to `/graphql/events`, the graph of the event types, in the same way. */
export function createEventsHandler(
  deps: GraphqlDeps & { readonly eventStreams: EventStreams },
  graph: () => Promise<EventGraph>,
): Handle {
  return createHandler(deps, {
    ...deps,
    path: EVENTS_PATH,
    identify: createIdentify(deps),
    schema: async () => (await graph()).schema,
    executor: useEventExecutor(deps.eventStreams),
  })
}

export const EVENTS_PATH = '/graphql/events'

/** Handles requests to `/graphql` with the whole schema, for callers with an API key or a session. */
export function createGraphqlHandler(deps: GraphqlDeps): Handle {
  return createHandler(deps, { ...deps, schema, identify: createIdentify(deps) })
}
