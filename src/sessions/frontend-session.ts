import { z } from 'zod'
import type { Actor } from '../access/actor.ts'
import type { Caller } from '../access/scope.ts'
import { keyNameRule } from '../api-keys/api-key.ts'
import type { Db } from '../db/client.ts'
import type { ApiKey, Prisma } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { type Page, pageOf } from '../db/page.ts'
import { atLeastKey } from '../db/selection.ts'
import { notFound } from '../lib/errors.ts'
import { parseInput } from '../lib/validation.ts'
import { type CreatedSession, createSession, type NewSession, ttlRule } from './create-session.ts'

export interface NewFrontendSession extends Pick<NewSession, 'scopes' | 'webhookId'> {
  /** A label, such as the host application's name of the user. */
  readonly name?: string | null | undefined
  /** 60 to 86,400. Default: 3,600. */
  readonly ttlSeconds?: number | null | undefined
}

const rule = z.object({ name: keyNameRule, ttlSeconds: ttlRule })

/** Creates a session for a host application's own pages. Throws as `createSession`. */
export async function createFrontendSession(
  db: Db,
  { scopes, webhookId, ...options }: NewFrontendSession,
  grantedBy: Caller,
  actor: Actor,
): Promise<CreatedSession> {
  const { name = null, ttlSeconds } = parseInput(rule, options)
  const session = { kind: 'frontend', name, scopes, webhookId, ttlSeconds } as const
  return await createSession(db, session, grantedBy, actor)
}

/** A page of an organization's frontend sessions, newest first, including those that ended within a day. */
export async function findFrontendSessions(
  db: Db,
  organizationId: string,
  { name }: { readonly name?: string | null | undefined },
  query: Selection & Page,
): Promise<ApiKey[]> {
  const { where, ...page } = pageOf(query, 'newest first')
  const named = typeof name === 'string' ? { name } : {}
  return await db.apiKey.findMany({
    ...page,
    where: { ...where, organizationId, sessionKind: 'frontend', ...named },
  })
}

/** Reads a frontend session after a change. Throws `not_found` if it was deleted. */
export async function rereadFrontendSession(
  db: Db,
  organizationId: string,
  id: string,
  query: Selection,
): Promise<ApiKey> {
  const uuid = parseId('apiKey', id)
  const where = uuid && ({ id: uuid, organizationId, sessionKind: 'frontend' } as const)
  const session = where && (await db.apiKey.findFirst({ ...atLeastKey(query), where }))
  if (!session) throw notFound('frontend session', id)
  return session
}

type Selection = Pick<Prisma.ApiKeyFindManyArgs, 'select' | 'include'>
