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

/** A person whom the provider of OpenID Connect identified. */
export interface Person {
  /** The provider's id of the person. */
  readonly subject: string
  /** For people to read, such as `Name <name@example.com>`. */
  readonly label: string
}

/**
 * Starts a session for the API key with a uuid: for a person, that of the role. Throws `unauthenticated` if the key is no
 * longer valid.
 */
export async function startSession(
  sql: Sql,
  keyId: string,
  actor: Actor,
  person: Person | null,
): Promise<StartedSession> {
  const token = mintSessionToken()
  const { rows } = await sql.query<{ expires_at: Date }>(
    `with started as (
       insert into posthorn.sessions (token_hash, api_key_id, expires_at, person_subject, person)
       select $1, id, least(expires_at, now() + $3 * interval '1 millisecond'), $5, $6
       from posthorn.api_keys
       where id = $2 and session_kind is null and revoked_at is null and coalesce(expires_at > now(), true)
       returning api_key_id, expires_at, person
     )
     ${auditSession('session.started', 'started', '$4')}`,
    [
      hashSessionToken(token),
      keyId,
      SESSION_MS,
      actorJson(actor),
      person?.subject ?? null,
      person?.label ?? null,
    ],
  )
  const [session] = rows
  // The key was revoked or expired after its authentication.
  if (!session) throw new DomainError('unauthenticated', 'The API key is no longer valid.')
  return { token, expiresAt: session.expires_at }
}

/**
 * Ends a session in every process, and returns whether it was that of a person. Does nothing for an unknown token.
 */
export async function endSession(sql: Sql, token: string, actor: Actor): Promise<boolean> {
  const { rows } = await sql.query<{ is_person: boolean }>(
    `with ended as (
       delete from posthorn.sessions where token_hash = $1 returning api_key_id, expires_at, person
     )
     ${auditSession('session.ended', 'ended', '$2')}`,
    [hashSessionToken(token), actorJson(actor)],
  )
  return rows[0]?.is_person === true
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
    select s.expires_at, s.person is not null as is_person, posthorn.write_audit_entry(
      ${actor}::jsonb || jsonb_build_object('api_key_id', k.id, 'person', s.person), k.organization_id, '${action}',
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
