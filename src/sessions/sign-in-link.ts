import type { Actor } from '../access/actor.ts'
import { actorJson } from '../audit/audit-entry.ts'
import type { Sql } from '../db/client.ts'
import { DomainError } from '../lib/errors.ts'
import {
  auditSession,
  hashSessionToken,
  isSessionToken,
  mintSessionToken,
  SESSION_MS,
  type StartedSession,
} from './session.ts'

/** How long a link is valid. */
const LINK_MS = 60 * 60 * 1_000

/** Creates the token of a link that can be exchanged once, within an hour, for a session of an API key. */
export async function createSignInLink(sql: Sql, keyId: string): Promise<string> {
  const token = mintSessionToken()
  await sql.query(
    `insert into posthorn.sign_in_links (token_hash, api_key_id, expires_at)
     values ($1, $2, now() + $3 * interval '1 millisecond')`,
    [hashSessionToken(token), keyId, LINK_MS],
  )
  return token
}

/** Exchanges a link for a session. Concurrent exchanges of one link start one session. */
export async function exchangeSignInLink(
  sql: Sql,
  link: string,
  actor: Actor,
): Promise<StartedSession> {
  const token = mintSessionToken()
  const { rows } = isSessionToken(link)
    ? await sql.query<{ expires_at: Date }>(
        `with used as (
           update posthorn.sign_in_links set used_at = now()
           where token_hash = $1 and used_at is null and expires_at > now()
           returning api_key_id
         ),
         started as (
           insert into posthorn.sessions (token_hash, api_key_id, expires_at)
           select $2, k.id, least(k.expires_at, now() + $3 * interval '1 millisecond')
           from used join posthorn.api_keys as k on k.id = used.api_key_id
           where k.revoked_at is null and coalesce(k.expires_at > now(), true)
           returning api_key_id, expires_at, person
         )
         ${auditSession('session.started', 'started', '$4')}`,
        [hashSessionToken(link), hashSessionToken(token), SESSION_MS, actorJson(actor)],
      )
    : { rows: [] }
  const [session] = rows
  if (session) return { token, expiresAt: session.expires_at }
  throw new DomainError(
    'unauthenticated',
    'The sign-in link was used already, is older than an hour, or belongs to an API key that is no longer valid. Restart Posthorn for a new link, or sign in with an API key.',
  )
}
