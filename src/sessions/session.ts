import { createHash, randomBytes } from 'node:crypto'
import type { Actor } from '../access/actor.ts'
import { type AuditAction, actorJson } from '../audit/audit-entry.ts'
import type { Sql } from '../db/client.ts'
import { DomainError } from '../lib/errors.ts'

/** The longest console session. A session ends earlier if its API key expires. */
export const SESSION_MS = 7 * 86_400_000

/** A new console session. Only the hash of the token is stored. */
export interface StartedSession {
  readonly token: string
  readonly expiresAt: Date
}

/** Starts a session for the API key with a uuid. Throws `unauthenticated` if the key is no longer valid. */
export async function startSession(sql: Sql, keyId: string, actor: Actor): Promise<StartedSession> {
  const token = mintSessionToken()
  const { rows } = await sql.query<{ expires_at: Date }>(
    `with started as (
       insert into posthorn.sessions (token_hash, api_key_id, expires_at)
       select $1, id, least(expires_at, now() + $3 * interval '1 millisecond')
       from posthorn.api_keys
       where id = $2 and session_kind is null and revoked_at is null and coalesce(expires_at > now(), true)
       returning api_key_id, expires_at
     )
     ${auditSession('session.started', 'started', '$4')}`,
    [hashSessionToken(token), keyId, SESSION_MS, actorJson(actor)],
  )
  const [session] = rows
  // The key was revoked or expired after its authentication.
  if (!session) throw new DomainError('unauthenticated', 'The API key is no longer valid.')
  return { token, expiresAt: session.expires_at }
}

/** Ends a session in every process. Does nothing for an unknown token. */
export async function endSession(sql: Sql, token: string, actor: Actor): Promise<void> {
  await sql.query(
    `with ended as (
       delete from posthorn.sessions where token_hash = $1 returning api_key_id, expires_at
     )
     ${auditSession('session.ended', 'ended', '$2')}`,
    [hashSessionToken(token), actorJson(actor)],
  )
}

/**
 * SQL: the final select of a statement that starts or ends a session. Returns the session's expiry and writes the audit
 * entry. `cte` names the statement's expression with the session, `actor` its parameter with the actor.
 */
export function auditSession(
  action: Extract<AuditAction, `session.${string}`>,
  cte: string,
  actor: `$${number}`,
): string {
  return `
    select s.expires_at, posthorn.write_audit_entry(
      ${actor}::jsonb || jsonb_build_object('api_key_id', k.id), k.organization_id, '${action}',
      posthorn.type_id('key', k.id), null,
      jsonb_build_object('expiresAt', to_char(s.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
    from ${cte} as s join posthorn.api_keys as k on k.id = s.api_key_id`
}

/** Generates the token of a session or a sign-in link: 32 random bytes in base64url. */
export function mintSessionToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Whether a token has the form of a session token. Other tokens need no lookup. */
export function isSessionToken(token: string): boolean {
  return /^[\w-]{43}$/.test(token)
}

/** The stored hash of a token. */
export function hashSessionToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
