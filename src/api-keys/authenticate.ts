import { batched } from '../batch.ts'
import type { Sql } from '../db/client.ts'
import { DomainError } from '../errors.ts'
import type { Caller, Scope } from './scope.ts'
import { hashToken, isWellFormedToken } from './token.ts'

/** Turns the value of an `Authorization` header into the caller, or throws `unauthenticated`. */
export type Authenticate = (authorization: string | null | undefined) => Promise<Caller>

interface KeyRow {
  readonly hash: string
  readonly id: string
  readonly organization_id: string
  readonly scopes: Scope[]
  readonly state: 'valid' | 'expired' | 'revoked'
  readonly used_lately: boolean
}

/**
 * Asks the database every time, so that a revocation acts at once in every process; requests that arrive in one tick
 * share the question.
 */
export function createAuthenticate(sql: Sql): Authenticate {
  const find = batched((hashes: Buffer[]) => findKeys(sql, hashes), { gatherMs: 0, maxSize: 500 })

  return async (authorization) => {
    const token = bearerToken(authorization)
    if (!isWellFormedToken(token)) throw unauthenticated('The API key is malformed.')
    const key = await find(Buffer.from(hashToken(token)))
    if (!key) throw unauthenticated('The API key is unknown.')
    if (key.state !== 'valid') throw unauthenticated(`The API key is ${key.state}.`)
    if (!key.used_lately) noteUse(sql, key.id)
    return { keyId: key.id, organizationId: key.organization_id, scopes: new Set(key.scopes) }
  }
}

function bearerToken(authorization: string | null | undefined): string {
  if (!authorization) {
    throw unauthenticated(
      'No API key was given. Send the header `Authorization: Bearer <API key>`.',
    )
  }
  const [, token] = /^Bearer +(\S+) *$/i.exec(authorization) ?? []
  if (!token)
    throw unauthenticated('The Authorization header is not of the form `Bearer <API key>`.')
  return token
}

/** The hash is looked up in an index: its time tells nothing of other tokens, which share no prefix of their hashes. */
async function findKeys(sql: Sql, hashes: Buffer[]): Promise<(KeyRow | undefined)[]> {
  const { rows } = await sql.query<KeyRow>({
    name: 'authenticate',
    text: `
      select encode(token_hash, 'hex') as hash, id, organization_id, scopes,
        case
          when revoked_at is not null then 'revoked'
          when expires_at <= now() then 'expired'
          else 'valid'
        end as state,
        coalesce(last_used_at > now() - interval '1 minute', false) as used_lately
      from posthorn.api_keys where token_hash = any ($1::bytea[])`,
    values: [hashes],
  })
  const byHash = new Map(rows.map((row) => [row.hash, row]))
  return hashes.map((hash) => byHash.get(hash.toString('hex')))
}

/** Kept to the minute, and not waited for: no request is slower or fails for it. */
function noteUse(sql: Sql, keyId: string): void {
  sql
    .query(
      `update posthorn.api_keys set last_used_at = now()
       where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
      [keyId],
    )
    .catch(() => {})
}

function unauthenticated(message: string): DomainError {
  return new DomainError('unauthenticated', message)
}
