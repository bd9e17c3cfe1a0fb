import type { GraphQLResolveInfo } from 'graphql'
import type { Authenticate } from '../api-keys/authenticate.ts'
import type { Caller } from '../api-keys/scope.ts'
import type { Sql } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { DomainError } from '../errors.ts'
import type { PublishEvents } from '../events/publish-events.ts'
import type { LiveHub } from '../live/hub.ts'
import type { WebhookDeps } from '../webhooks/webhook.ts'
import { actFor, ORGANIZATION_HEADER } from './act-for.ts'
import { createPerField, type PerField } from './per-field.ts'

/** What resolvers hand to the domain. */
export interface DomainDeps {
  readonly prisma: PrismaClient
  readonly sql: Sql
  readonly webhooks: WebhookDeps
  readonly publishEvents: PublishEvents
  readonly live: LiveHub
}

export type Identity = Caller | DomainError

/** One request. */
export interface Context extends DomainDeps {
  /** Whoever calls, or why they are refused: the schema itself can be read without a key. */
  readonly identity: Identity
  /** Breaks the connection of the request. */
  readonly cut?: () => void
  /** Lets the rows of a list ask their question together. */
  readonly perField: <Input, Output>(
    info: GraphQLResolveInfo,
    run: (inputs: Input[]) => Promise<readonly Output[]>,
  ) => (input: Input) => Promise<Output>
}

export function createContext(deps: DomainDeps, identity: Identity): Context {
  const { prisma, sql, webhooks, publishEvents, live } = deps
  const perField: PerField = createPerField()
  return { prisma, sql, webhooks, publishEvents, live, identity, perField }
}

/** The caller, or the error that says why there is none. */
export function callerOf({ identity }: Context): Caller {
  if (identity instanceof DomainError) throw identity
  return identity
}

/** Tells who sent a request, and for which organization, asking once for each. */
export function createIdentify(
  authenticate: Authenticate,
  sql: Sql,
): (request: Request) => Promise<Identity> {
  const identities = new WeakMap<Request, Promise<Identity>>()
  return (request) => {
    const identity = identities.get(request) ?? identify(authenticate, sql, request)
    identities.set(request, identity)
    return identity
  }
}

async function identify(authenticate: Authenticate, sql: Sql, request: Request): Promise<Identity> {
  try {
    const caller = await authenticate(request.headers.get('authorization'))
    return await actFor(sql, caller, request.headers.get(ORGANIZATION_HEADER))
  } catch (error) {
    if (error instanceof DomainError && error.code !== 'unavailable') return error
    throw error
  }
}
