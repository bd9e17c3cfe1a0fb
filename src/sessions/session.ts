import { createHash, randomBytes } from 'node:crypto'
import type { Actor } from '../access/actor.ts'
import { type AuditAction, actorJson } from '../audit/audit-entry.ts'
import type { Sql } from '../db/client.ts'
import { DomainError } from '../lib/errors.ts'

/** How long a browser stays signed in at most; never longer than its key is valid. */
export const SESSION_MS = 7 * 86_400_000

/** A session of the console that has just begun. The token is here and nowhere else: only its hash is stored. */
export interface StartedSession {
  readonly token: string
  readonly expiresAt: Date
}

/** Begins a session that stands for an API key, by its uuid. */
export async function startSession(sql: Sql, keyId: string, actor: Actor): Promise<StartedSession> {
  const token = mintSessionToken()
  const { rows } = await sql.query<{ expires_at: Date }>(
    `with begun as (
       insert into posthorn.sessions (token_hash, api_key_id, expires_at)
       select $1, id, least(expires_at, now() + $3 * interval '1 millisecond')
       from posthorn.api_keys
       where id = $2 and not is_portal and revoked_at is null and coalesce(expires_at > now(), true)
       returning api_key_id, expires_at
     )
     ${auditedSession('session.begun', 'begun', '$4')}`,
    [hashSessionToken(token), keyId, SESSION_MS, actorJson(actor)],
  )
  const [begun] = rows
  // It ended since it was looked at.
  if (!begun) throw new DomainError('unauthenticated', 'The API key is no longer valid.')
  return { token, expiresAt: begun.expires_at }
}

/** Ends a session in every process. Does nothing for one that is none any more. */
export async function endSession(sql: Sql, token: string, actor: Actor): Promise<void> {
  await sql.query(
    `with ended as (
       delete from posthorn.sessions where token_hash = $1 returning api_key_id, expires_at
     )
     ${auditedSession('session.ended', 'ended', '$2')}`,
    [hashSessionToken(token), actorJson(actor)],
  )
}

/**
 * The end of a statement that begins or ends a session: answers when it expires, and writes it down for the key that it
 * stands for. `sessions` is what the statement calls it, and `actor` the parameter that says who.
 */
export function auditedSession(
  action: Extract<AuditAction, `session.${string}`>,
  sessions: string,
  actor: `$${number}`,
): string {
  return `
    select s.expires_at, posthorn.write_audit_entry(
      ${actor}::jsonb || jsonb_build_object('api_key_id', k.id), k.organization_id, '${action}',
      posthorn.type_id('key', k.id), null,
      jsonb_build_object('expiresAt', to_char(s.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
    from ${sessions} as s join posthorn.api_keys as k on k.id = s.api_key_id`
}

/** 32 random bytes in base64url: of a session, or of a link that is exchanged for one. */
export function mintSessionToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Whether it could be one of ours, so that nothing else is looked up. */
export function isSessionToken(token: string): boolean {
  return /^[\w-]{43}$/.test(token)
}

/** What is stored of a token. */
export function hashSessionToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
