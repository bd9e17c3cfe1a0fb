import type { GraphQLResolveInfo } from 'graphql'
import { type Actor, requestActor } from '../access/actor.ts'
import type { Quota } from '../access/quota.ts'
import type { Caller } from '../access/scope.ts'
import type { Authenticate } from '../api-keys/authenticate.ts'
import type { Sql } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import type { PublishEvents } from '../events/publish-events.ts'
import { CROSS_SITE_DETAIL, isCrossSite, sessionCookie } from '../http/session-cookie.ts'
import { DomainError } from '../lib/errors.ts'
import type { LiveHub } from '../live/hub.ts'
import type { AuthenticateSession } from '../sessions/authenticate-session.ts'
import type { WebhookDeps } from '../webhooks/webhook.ts'
import { actFor, ORGANIZATION_HEADER } from './act-for.ts'
import { type AnswerSize, createAnswerSize } from './limits/answer-size.ts'
import { createPerField, type PerField } from './per-field.ts'

/** What resolvers hand to the domain. */
export interface DomainDeps {
  readonly prisma: PrismaClient
  readonly sql: Sql
  /** The schema of graphile-worker. */
  readonly workerSchema: string
  readonly webhooks: WebhookDeps
  readonly publishEvents: PublishEvents
  readonly live: LiveHub
  /** How long events are kept. */
  readonly retentionMs: number
  /** The origin that browsers know Posthorn by. Null: the one that they asked. */
  readonly publicUrl: string | null
}

export type Identity = Caller | DomainError

/** One request. */
export interface Context extends DomainDeps {
  /** Whoever calls, or why they are refused: the schema itself can be read without a key. */
  readonly identity: Identity
  /** What it takes from the budgets of its key. */
  readonly quota: Quota
  readonly answerSize: AnswerSize
  /** Whoever calls, for the audit log. */
  readonly actor: Actor
  /** The origin of links to pages of Posthorn. A function: what is put into a context is read once for each request. */
  readonly origin: () => string
  /** Breaks the connection of the request. */
  readonly cut?: () => void
  /** Lets the rows of a list ask their question together. */
  readonly perField: <Input, Output>(
    info: GraphQLResolveInfo,
    run: (inputs: Input[]) => Promise<readonly Output[]>,
  ) => (input: Input) => Promise<Output>
}

export function createContext(
  deps: DomainDeps,
  identity: Identity,
  quota: Quota,
  asked: Parameters<typeof requestActor>[2] & { readonly url: string },
): Context {
  const { prisma, sql, workerSchema, publishEvents, live, retentionMs, publicUrl } = deps
  const keyId = identity instanceof DomainError ? null : identity.keyId
  const actor = requestActor('graphql', keyId, asked)
  const webhooks = { ...deps.webhooks, actor }
  const perField: PerField = createPerField()
  const domain = {
    prisma,
    sql,
    workerSchema,
    webhooks,
    publishEvents,
    live,
    retentionMs,
    publicUrl,
    actor,
  }
  return {
    ...domain,
    identity,
    quota,
    answerSize: createAnswerSize(),
    perField,
    origin: () => publicUrl ?? new URL(asked.url).origin,
  }
}

/** The caller, or the error that says why there is none. */
export function callerOf({ identity }: Context): Caller {
  if (identity instanceof DomainError) throw identity
  return identity
}

/** `address` is where the connection comes from. */
export type Identify = (request: Request, address: string | undefined) => Promise<Identity>

export interface IdentifyDeps {
  readonly authenticate: Authenticate
  readonly authenticateSession: AuthenticateSession
  readonly sql: Sql
  readonly publicUrl: string | null
}

/** Tells who sent a request, and for which organization, asking once for each. */
export function createIdentify(deps: IdentifyDeps): Identify {
  const identities = new WeakMap<Request, Promise<Identity>>()
  const authenticate = createAuthenticateRequest(deps)
  return (request, address) => {
    const identity = identities.get(request) ?? identify(authenticate, deps.sql, request, address)
    identities.set(request, identity)
    return identity
  }
}

type AuthenticateRequest = (request: Request, address: string | undefined) => Promise<Caller>

/** By the API key in the `Authorization` header or, where there is none, by the cookie of the console. */
function createAuthenticateRequest(deps: IdentifyDeps): AuthenticateRequest {
  const cookie = sessionCookie(deps.publicUrl)
  return async (request, address) => {
    const authorization = request.headers.get('authorization')
    if (authorization !== null || !cookie.isRequested(request)) {
      return await deps.authenticate(authorization, address)
    }
    if (isCrossSite(request, deps.publicUrl)) {
      throw new DomainError('unauthenticated', CROSS_SITE_DETAIL)
    }
    return await deps.authenticateSession(cookie.read(request) ?? '')
  }
}

async function identify(
  authenticate: AuthenticateRequest,
  sql: Sql,
  request: Request,
  address: string | undefined,
): Promise<Identity> {
  try {
    const caller = await authenticate(request, address)
    return await actFor(sql, caller, request.headers.get(ORGANIZATION_HEADER))
  } catch (error) {
    if (error instanceof DomainError && error.code !== 'unavailable') return error
    throw error
  }
}
