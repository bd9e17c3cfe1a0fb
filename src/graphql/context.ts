import type { GraphQLResolveInfo, ResponsePath } from 'graphql'
import type { GraphQLParams } from 'graphql-yoga'
import { type Actor, requestActor } from '../auth/access/actor.ts'
import type { Quota } from '../auth/access/rate-limit.ts'
import { type Caller, hasScope } from '../auth/access/scope.ts'
import type { Sql } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import type { Connection, InFlight } from '../http/connection.ts'
import { batched } from '../lib/batch.ts'
import type { LiveHub } from '../streams/live/hub.ts'

/**
 * The dependencies that resolvers pass to domain functions. A type file declares those it needs beyond these:
 * `declare module '../graphql/context.ts' { interface DomainDeps { … } }`.
 */
export interface DomainDeps {
  readonly prisma: PrismaClient
  readonly sql: Sql
  readonly live: LiveHub
  /** The public origin of Posthorn. Null: the origin of the request. */
  readonly publicUrl: string | null
}

/** The caller, or the authentication error, which ends the request before its body is read. */
export type Identity = Caller | Error

/** Identifies the caller of a request. `address` is the remote address of the connection. */
export type Identify = (request: Request, address: string | undefined) => Promise<Caller>

/** What is known of a request before it is executed: the server context of yoga. */
export interface RequestContext extends Partial<Connection> {
  readonly request: Request
  readonly identity: Identity
  /** If they are already read. */
  params?: GraphQLParams
  readonly quota: Quota
}

/** The context of one request. */
export interface Context extends DomainDeps {
  readonly caller: Caller
  readonly quota: Quota
  /** The caller, for the audit log. */
  readonly actor: Actor
  /** The origin of links to pages of Posthorn. */
  readonly origin: () => string
  /** Closes the connection of the request. */
  readonly cut: (() => void) | undefined
  readonly inFlight: InFlight | undefined
  /** Aborts when the client leaves. A function, because it costs something only if it is called. */
  readonly signal: () => AbortSignal
  /** Batches the calls of one field for all rows of a list. */
  readonly perField: <Input, Output>(
    info: GraphQLResolveInfo,
    run: (inputs: Input[]) => Promise<readonly Output[]>,
  ) => (input: Input) => Promise<Output>
  /** The same for the rows of one organization, with a `run` that reads only what belongs to it. */
  readonly perOrganization: Batch
}

export function createContext(deps: DomainDeps, of: RequestContext): Context {
  const { request, quota, address, cut, inFlight } = of
  const caller = identifiedCaller(of)
  const source = caller.consoleSessionId ? 'console' : 'graphql'
  const perOrganization = createBatch()
  return {
    ...deps,
    caller,
    quota,
    actor: requestActor(source, caller.keyId, caller.person, { headers: request.headers, address }),
    perField: (info, run) => perOrganization('', info, run),
    perOrganization,
    origin: () => deps.publicUrl ?? new URL(request.url).origin,
    signal: () => request.signal,
    cut,
    inFlight,
  }
}

/** The organizations whose objects the caller can find by their ids: its own, or all for an operator. */
export function withinReach(context: Context): Partial<Pick<Caller, 'organizationId'>> {
  const { caller } = context
  return hasScope(caller, 'admin') ? {} : { organizationId: caller.organizationId }
}

/** The caller of a request that has one. */
export function identifiedCaller({ identity }: Pick<RequestContext, 'identity'>): Caller {
  if (identity instanceof Error) throw identity
  return identity
}

type Batch = <Input, Output>(
  organizationId: string,
  info: GraphQLResolveInfo,
  run: (inputs: Input[]) => Promise<readonly Output[]>,
) => (input: Input) => Promise<Output>

/**
 * Batches the calls of a field within one request: one call per row of its list becomes one call for all. The calls come
 * from the same place in the document, so they share arguments and selection, and the first `run` serves all of them.
 */
function createBatch(): Batch {
  const byField = new Map<string, (input: never) => Promise<unknown>>()
  return ((organizationId, info, run) => {
    const key = `${info.parentType.name}@${fieldPath(info.path)} ${organizationId}`
    const known = byField.get(key)
    if (known) return known
    const together = batched(run, { maxSize: 1_000 })
    byField.set(key, together)
    return together
  }) as Batch
}

/** `webhooks.nodes.0.deliveries` -> `webhooks.nodes.deliveries` */
function fieldPath(path: ResponsePath | undefined): string {
  const names: string[] = []
  for (let part = path; part; part = part.prev) {
    if (typeof part.key === 'string') names.push(part.key)
  }
  return names.reverse().join('.')
}

/** The request header in which an operator names the organization to act for. */
export const ORGANIZATION_HEADER = 'posthorn-organization'
