import type { GraphQLResolveInfo } from 'graphql'
import type { Authenticate } from '../api-keys/authenticate.ts'
import type { Caller } from '../api-keys/scope.ts'
import type { Sql } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { DomainError } from '../errors.ts'
import type { PublishEvents } from '../events/publish-events.ts'
import type { WebhookDeps } from '../webhooks/webhook.ts'
import { createPerField, type PerField } from './per-field.ts'

/** What resolvers hand to the domain. */
export interface DomainDeps {
  readonly prisma: PrismaClient
  readonly sql: Sql
  readonly webhooks: WebhookDeps
  readonly publishEvents: PublishEvents
}

/** One request. */
export interface Context extends DomainDeps {
  /** Whoever calls, or why they are refused: the schema itself can be read without a key. */
  readonly identity: Caller | DomainError
  /** Lets the rows of a list ask their question together. */
  readonly perField: <Input, Output>(
    info: GraphQLResolveInfo,
    run: (inputs: Input[]) => Promise<readonly Output[]>,
  ) => (input: Input) => Promise<Output>
}

export async function createContext(
  deps: DomainDeps,
  authenticate: Authenticate,
  request: Request,
): Promise<Context> {
  const { prisma, sql, webhooks, publishEvents } = deps
  const identity = await identify(authenticate, request)
  const perField: PerField = createPerField()
  return { prisma, sql, webhooks, publishEvents, identity, perField }
}

/** The caller, or the `unauthenticated` error that says why there is none. */
export function callerOf({ identity }: Context): Caller {
  if (identity instanceof DomainError) throw identity
  return identity
}

async function identify(
  authenticate: Authenticate,
  request: Request,
): Promise<Caller | DomainError> {
  try {
    return await authenticate(request.headers.get('authorization'))
  } catch (error) {
    if (error instanceof DomainError && error.code === 'unauthenticated') return error
    throw error
  }
}
