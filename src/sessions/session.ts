import { createHash, randomBytes } from 'node:crypto'
import type { Sql } from '../db/client.ts'
import { DomainError } from '../errors.ts'

/** How long a browser stays signed in at most; never longer than its key is valid. */
export const SESSION_MS = 7 * 86_400_000

/** A session of the console that has just begun. The token is here and nowhere else: only its hash is stored. */
export interface BegunSession {
  readonly token: string
  readonly expiresAt: Date
}

/** Begins a session that stands for an API key, by its uuid. */
export async function beginSession(sql: Sql, keyId: string): Promise<BegunSession> {
  const token = mintSessionToken()
  const { rows } = await sql.query<{ expires_at: Date }>(
    `insert into posthorn.sessions (token_hash, api_key_id, expires_at)
     select $1, id, least(expires_at, now() + $3 * interval '1 millisecond')
     from posthorn.api_keys
     where id = $2 and not is_portal and revoked_at is null and coalesce(expires_at > now(), true)
     returning expires_at`,
    [hashSessionToken(token), keyId, SESSION_MS],
  )
  const [begun] = rows
  // It ended since it was looked at.
  if (!begun) throw new DomainError('unauthenticated', 'The API key is no longer valid.')
  return { token, expiresAt: begun.expires_at }
}

/** Ends a session in every process. Does nothing for one that is none any more. */
export async function endSession(sql: Sql, token: string): Promise<void> {
  await sql.query('delete from posthorn.sessions where token_hash = $1', [hashSessionToken(token)])
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
