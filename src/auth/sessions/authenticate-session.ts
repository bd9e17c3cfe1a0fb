import type { Sql } from '../../db/client.ts'
import { DomainError } from '../../lib/errors.ts'
import type { Caller } from '../access/scope.ts'
import { byHash, KEY_COLUMNS, type KeyRow, toCaller } from '../api-keys/authenticate.ts'
import { hashSessionToken, isSessionToken } from './session.ts'

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
    const session = isSessionToken(token) ? await find(hashSessionToken(token)) : undefined
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
