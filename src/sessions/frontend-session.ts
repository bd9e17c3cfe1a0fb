import { z } from 'zod'
import type { Actor } from '../access/actor.ts'
import type { Caller } from '../access/scope.ts'
import { keyNameRule } from '../api-keys/api-key.ts'
import type { Db } from '../db/client.ts'
import { parseInput } from '../lib/validation.ts'
import { type CreatedSession, createSession, type NewSession, ttlRule } from './create-session.ts'

export interface NewFrontendSession extends Pick<NewSession, 'scopes' | 'webhookId'> {
  /** A label for the audit log, such as the host application's name of the user. */
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
