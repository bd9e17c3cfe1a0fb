import type { GraphQLResolveInfo } from 'graphql'
import { type Actor, requestActor } from '../access/actor.ts'
import type { Quota } from '../access/quota.ts'
import { type Caller, hasScope } from '../access/scope.ts'
import type { Sql } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { DomainError } from '../lib/errors.ts'
import type { LiveHub } from '../live/hub.ts'
import { createResponseSize, type ResponseSize } from './limits/response-size.ts'
import { createPerField, type PerField } from './per-field.ts'

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

/** The caller, or the authentication error: reading the schema needs no caller. */
export type Identity = Caller | DomainError

/** Identifies the caller of a request, once per request. `address` is the remote address of the connection. */
export type Identify = (request: Request, address: string | undefined) => Promise<Identity>

/** The context of one request. */
export interface Context extends DomainDeps {
  readonly identity: Identity
  readonly quota: Quota
  readonly responseSize: ResponseSize
  /** Whether the variables may have a lone surrogate, so that fields must check their arguments. */
  readonly checkSurrogates: boolean
  /** The caller, for the audit log. */
  readonly actor: Actor
  /** The origin of links to pages of Posthorn. A function, because yoga reads every property of a context. */
  readonly origin: () => string
  /** Closes the connection of the request. */
  readonly cut?: () => void
  /** Batches the calls of one field for all rows of a list. */
  readonly perField: <Input, Output>(
    info: GraphQLResolveInfo,
    run: (inputs: Input[]) => Promise<readonly Output[]>,
    organizationId?: string,
  ) => (input: Input) => Promise<Output>
}

export function createContext(
  deps: DomainDeps,
  identity: Identity,
  quota: Quota,
  request: Parameters<typeof requestActor>[3] & {
    readonly url: string
    readonly hasLoneSurrogate: boolean
  },
): Context {
  const caller = identity instanceof DomainError ? null : identity
  const source = caller?.consoleSessionId ? 'console' : 'graphql'
  const perField: PerField = createPerField()
  return {
    ...deps,
    identity,
    quota,
    responseSize: createResponseSize(),
    checkSurrogates: request.hasLoneSurrogate,
    actor: requestActor(source, caller?.keyId ?? null, caller?.person ?? null, request),
    perField,
    origin: () => deps.publicUrl ?? new URL(request.url).origin,
  }
}

/** The organizations whose objects the caller can find by their ids: its own, or all for an operator. */
export function withinReach(context: Context): { readonly organizationId?: string } {
  const caller = callerOf(context)
  return hasScope(caller, 'admin') ? {} : { organizationId: caller.organizationId }
}

/** The caller. Throws the authentication error if there is none. */
export function callerOf({ identity }: Context): Caller {
  if (identity instanceof DomainError) throw identity
  return identity
}
