import type { Caller } from '../access/scope.ts'
import { toCaller, KEY_COLUMNS, type KeyRow } from '../api-keys/authenticate.ts'
import type { Sql } from '../db/client.ts'
import { batched } from '../lib/batch.ts'
import { DomainError } from '../lib/errors.ts'
import { hashSessionToken, isSessionToken } from './session.ts'

/** Turns the token of a session into the caller, who acts as its API key, or throws `unauthenticated`. */
export type AuthenticateSession = (token: string) => Promise<Caller>

interface SessionRow extends KeyRow {
  readonly session_id: string
  readonly is_past: boolean
}

/** Asks the database every time, as for API keys: signing out and revoking the key act at once in every process. */
export function createAuthenticateSession(sql: Sql): AuthenticateSession {
  const find = batched((hashes: Buffer[]) => findSessions(sql, hashes), {
    gatherMs: 0,
    maxSize: 500,
    parallel: 1,
  })
  return async (token) => {
    const session = isSessionToken(token) ? await find(hashSessionToken(token)) : undefined
    if (!session) throw signInAgain('You are not signed in, or were signed out.')
    if (session.state !== 'valid') {
      throw signInAgain(`The API key that you signed in with is ${session.state}.`)
    }
    if (session.is_past) throw signInAgain('Your session has expired.')
    return { ...toCaller(sql, session), sessionId: session.session_id }
  }
}

async function findSessions(sql: Sql, hashes: Buffer[]): Promise<(SessionRow | undefined)[]> {
  const { rows } = await sql.query<SessionRow & { readonly hash: string }>({
    name: 'authenticate_session',
    text: `
      select encode(s.token_hash, 'hex') as hash, s.id as session_id, s.expires_at <= now() as is_past, ${KEY_COLUMNS}
      from posthorn.sessions as s join posthorn.api_keys as k on k.id = s.api_key_id
      where s.token_hash = any ($1::bytea[])`,
    values: [hashes],
  })
  const byHash = new Map(rows.map((row) => [row.hash, row]))
  return hashes.map((hash) => byHash.get(hash.toString('hex')))
}

function signInAgain(what: string): DomainError {
  return new DomainError('unauthenticated', `${what} Sign in again.`)
}
