import type { GraphQLResolveInfo } from 'graphql'
import { type Actor, requestActor } from '../access/actor.ts'
import type { Quota } from '../access/quota.ts'
import type { Caller } from '../access/scope.ts'
import type { Sql } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { DomainError } from '../lib/errors.ts'
import type { LiveHub } from '../live/hub.ts'
import { type AnswerSize, createAnswerSize } from './limits/answer-size.ts'
import { createPerField, type PerField } from './per-field.ts'

/**
 * What resolvers pass to the domain. The core knows no domain, so a type file declares what it needs besides:
 * `declare module '../graphql/context.ts' { interface DomainDeps { … } }`.
 */
export interface DomainDeps {
  readonly prisma: PrismaClient
  readonly sql: Sql
  readonly live: LiveHub
  /** The origin that browsers know Posthorn by. Null: the origin of the request. */
  readonly publicUrl: string | null
}

/** The caller, or why there is none: anybody may read the schema. */
export type Identity = Caller | DomainError

/** Identifies the caller of a request, once for each request. `address` is the address of its connection. */
export type Identify = (request: Request, address: string | undefined) => Promise<Identity>

/** One request. */
export interface Context extends DomainDeps {
  readonly identity: Identity
  readonly quota: Quota
  readonly answerSize: AnswerSize
  /** The caller, for the audit log. */
  readonly actor: Actor
  /** The origin of links to pages of Posthorn. A function, as yoga reads each property of a context once per request. */
  readonly origin: () => string
  /** Breaks the connection of the request. */
  readonly cut?: () => void
  /** Runs the calls of one field, for all rows of a list, as one. */
  readonly perField: <Input, Output>(
    info: GraphQLResolveInfo,
    run: (inputs: Input[]) => Promise<readonly Output[]>,
  ) => (input: Input) => Promise<Output>
}

export function createContext(
  deps: DomainDeps,
  identity: Identity,
  quota: Quota,
  request: Parameters<typeof requestActor>[2] & { readonly url: string },
): Context {
  const keyId = identity instanceof DomainError ? null : identity.keyId
  const perField: PerField = createPerField()
  return {
    ...deps,
    identity,
    quota,
    answerSize: createAnswerSize(),
    actor: requestActor('graphql', keyId, request),
    perField,
    origin: () => deps.publicUrl ?? new URL(request.url).origin,
  }
}

/** The caller. Throws the error that says why there is none. */
export function callerOf({ identity }: Context): Caller {
  if (identity instanceof DomainError) throw identity
  return identity
}
