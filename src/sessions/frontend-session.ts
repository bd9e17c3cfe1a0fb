import { z } from 'zod'
import type { Actor } from '../access/actor.ts'
import { type Caller, requireGrantable } from '../access/scope.ts'
import { keyNameRule } from '../api-keys/api-key.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import type { ApiKey, Prisma } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { type Page, pageOf } from '../db/page.ts'
import { atLeastKey } from '../db/selection.ts'
import { DomainError, notFound } from '../lib/errors.ts'
import { parseInput } from '../lib/validation.ts'
import {
  type CreatedSession,
  createSession,
  earliest,
  type NewSession,
  secondsFromNow,
  ttlRule,
} from './create-session.ts'

/** Renewals cannot extend a session beyond this time after its creation. */
export const MAX_AGE_SECONDS = 7 * 86_400

export interface NewFrontendSession extends Pick<NewSession, 'scopes' | 'webhookId'> {
  /** A label, such as the host application's name of the user. */
  readonly name?: string | null | undefined
  /** 60 to 86,400. Default: 3,600. */
  readonly ttlSeconds?: number | null | undefined
}

const rule = z.object({ name: keyNameRule, ttlSeconds: ttlRule })
const renewalRule = z.object({ ttlSeconds: ttlRule })

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

/**
 * Moves the end of a session to `ttlSeconds` from now, in every process; the token and open streams continue. Throws
 * `conflict` for a session that has ended, and `invalid` for a session with a scope that the caller lacks.
 */
export async function renewFrontendSession(
  db: Db,
  id: string,
  input: { readonly ttlSeconds?: number | null | undefined },
  renewedBy: Caller,
  actor: Actor,
): Promise<void> {
  const { ttlSeconds } = parseInput(renewalRule, input)
  const { organizationId } = renewedBy
  const session = await findSession(db, organizationId, id)
  requireGrantable(renewedBy, session.scopes)
  const lastMoment = new Date(session.createdAt.getTime() + MAX_AGE_SECONDS * 1_000)
  const expiresAt = earliest(
    secondsFromNow(ttlSeconds),
    lastMoment,
    renewedBy.expiresAt,
    session.grantor?.expiresAt,
  )
  await actForOrganization(db, organizationId, async (tx) => {
    const { count } = await tx.apiKey.updateMany({
      where: { id: session.id, ...isActive(new Date()) },
      data: { expiresAt },
    })
    if (count === 0) throw hasEnded(id)
    await writeAuditEntry(tx, actor, {
      action: 'frontend_session.renewed',
      organizationId,
      subjectId: id,
      before: { expiresAt: session.expiresAt },
      after: { expiresAt },
    })
  })
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
  const where = ofOrganization(organizationId, id)
  const session = where && (await db.apiKey.findFirst({ ...atLeastKey(query), where }))
  if (!session) throw notFound('frontend session', id)
  return session
}

type Selection = Pick<Prisma.ApiKeyFindManyArgs, 'select' | 'include'>

async function findSession(db: Db, organizationId: string, id: string) {
  const where = ofOrganization(organizationId, id)
  const session = where && (await db.apiKey.findFirst({ where, include: { grantor: true } }))
  if (!session) throw notFound('frontend session', id)
  return session
}

function ofOrganization(organizationId: string, id: string) {
  const uuid = parseId('apiKey', id)
  return uuid && ({ id: uuid, organizationId, sessionKind: 'frontend' } as const)
}

function isActive(now: Date): Prisma.ApiKeyWhereInput {
  const unexpired = [{ expiresAt: null }, { expiresAt: { gt: now } }]
  return { revokedAt: null, expiresAt: { gt: now }, grantor: { revokedAt: null, OR: unexpired } }
}

function hasEnded(id: string): DomainError {
  return new DomainError(
    'conflict',
    `The frontend session ${id} has ended, and cannot be renewed. Create another session.`,
  )
}
