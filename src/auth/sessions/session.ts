import { randomBytes } from 'node:crypto'
import type { Sql } from '../../db/client.ts'
import { DomainError } from '../../lib/errors.ts'
import type { Actor } from '../access/actor.ts'
import type { Caller } from '../access/scope.ts'
import { byHash, hashToken, KEY_COLUMNS, type KeyRow, toCaller } from '../api-keys/authenticate.ts'
import { type AuditAction, actorJson } from '../audit/audit-entry.ts'

/** The longest console session. A session ends earlier if its API key expires. */
const SESSION_MS = 7 * 86_400_000

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
  const session = await start(sql, 'select $5::uuid as key_id', keyId, actor, person)
  // The key was revoked or expired after its authentication.
  if (!session) throw new DomainError('unauthenticated', 'The API key is no longer valid.')
  return session
}

/** How long a link is valid. */
const LINK_MS = 60 * 60 * 1_000

/** Creates the token of a link that can be exchanged once, within an hour, for a session of an API key. */
export async function createSignInLink(sql: Sql, keyId: string): Promise<string> {
  const token = mintSessionToken()
  await sql.query(
    `insert into posthorn.sign_in_links (token_hash, api_key_id, expires_at)
     values ($1, $2, now() + $3 * interval '1 millisecond')`,
    [hashToken(token), keyId, LINK_MS],
  )
  return token
}

/** Exchanges a link for a session. Concurrent exchanges of one link start one session. */
export async function exchangeSignInLink(
  sql: Sql,
  link: string,
  actor: Actor,
): Promise<StartedSession> {
  const used = `
    update posthorn.sign_in_links set used_at = now()
    where token_hash = $5 and used_at is null and expires_at > now()
    returning api_key_id as key_id`
  const session = isSessionToken(link) && (await start(sql, used, hashToken(link), actor, null))
  if (session) return session
  throw new DomainError(
    'unauthenticated',
    'The sign-in link was used already, is older than an hour, or belongs to an API key that is no longer valid. Restart Posthorn for a new link, or sign in with an API key.',
  )
}

/** Starts a session of the key that `keyQuery` returns for its parameter `$5`. Null if the key is not valid. */
async function start(
  sql: Sql,
  keyQuery: string,
  parameter: string | Uint8Array,
  actor: Actor,
  person: Person | null,
): Promise<StartedSession | null> {
  const token = mintSessionToken()
  const { rows } = await sql.query<{ expires_at: Date }>(
    `with chosen as (${keyQuery}),
     started as (
       insert into posthorn.sessions (token_hash, api_key_id, expires_at, person_subject, person)
       select $1, k.id, least(k.expires_at, now() + $2 * interval '1 millisecond'), $4::jsonb ->> 'subject', $4::jsonb ->> 'label'
       from chosen join posthorn.api_keys as k on k.id = chosen.key_id
       where k.session_kind is null and k.revoked_at is null and coalesce(k.expires_at > now(), true)
       returning api_key_id, expires_at, person
     )
     ${auditSession('session.started', 'started', '$3')}`,
    [hashToken(token), SESSION_MS, actorJson(actor), JSON.stringify(person), parameter],
  )
  const [session] = rows
  return session ? { token, expiresAt: session.expires_at } : null
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
    [hashToken(token), actorJson(actor)],
  )
  return rows[0]?.is_person === true
}

/**
 * SQL: the final select of a statement that starts or ends a session. Returns the session's expiry and writes the audit
 * entry. `cte` names the statement's expression with the session, `actor` its parameter with the actor.
 */
function auditSession(
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

/**
 * Authenticates the token of a session. The caller has the rights of the session's API key. Throws `unauthenticated`.
 */
export type AuthenticateSession = (token: string) => Promise<Caller>

interface SessionRow extends KeyRow {
  readonly session_id: string
  readonly is_expired: boolean
  readonly person: string | null
}

/**
 * Every request reads its session from the database, so that signing out and revoking a key apply at once everywhere.
 */
export function createAuthenticateSession(sql: Sql): AuthenticateSession {
  const find = byHash(sql, AUTHENTICATE_SESSION, (session: SessionRow) => session)
  return async (token) => {
    const session = isSessionToken(token) ? await find(hashToken(token)) : undefined
    if (!session) throw unauthenticated('You are not signed in.')
    if (session.state !== 'valid') {
      const key = session.person === null ? 'that you signed in with' : 'of your role'
      throw unauthenticated(`The API key ${key} is ${session.state}.`)
    }
    if (session.is_expired) throw unauthenticated('Your session has expired.')
    return {
      ...toCaller(sql, session),
      consoleSessionId: session.session_id,
      person: session.person,
    }
  }
}

const AUTHENTICATE_SESSION = {
  name: 'authenticate_session',
  text: `
    select encode(s.token_hash, 'hex') as hash, s.id as session_id, s.expires_at <= now() as is_expired, s.person, ${KEY_COLUMNS}
    from posthorn.sessions as s join posthorn.api_keys as k on k.id = s.api_key_id
    where s.token_hash = any ($1::bytea[])`,
}

function unauthenticated(reason: string): DomainError {
  return new DomainError('unauthenticated', `${reason} Sign in again.`)
}

/** Generates the token of a session or a sign-in link: 32 random bytes in base64url. */
function mintSessionToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Whether a token has the form of a session token. Other tokens need no lookup. */
function isSessionToken(token: string): boolean {
  return /^[\w-]{43}$/.test(token)
}
