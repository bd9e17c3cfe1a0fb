import type { Caller, Scope } from '../access/scope.ts'
import type { Sql } from '../db/client.ts'
import { batched } from '../lib/batch.ts'
import { DomainError, rateLimited } from '../lib/errors.ts'
import { createFailedAttempts } from '../rate-limit/failed-attempts.ts'
import { resolveLimits } from './limits.ts'
import { hashToken, isWellFormedToken } from './token.ts'

/**
 * Turns the value of an `Authorization` header into the caller, or throws `unauthenticated`; for an address that fails
 * again and again, `rate_limited`.
 */
export type Authenticate = (
  authorization: string | null | undefined,
  address?: string,
) => Promise<Caller>

/** What is read of an API key, as `KEY_COLUMNS` names it. */
export interface KeyRow {
  readonly id: string
  readonly organization_id: string
  readonly scopes: Scope[]
  readonly requests_per_second: number | null
  readonly events_per_second: number | null
  readonly is_portal: boolean
  readonly webhook_id: string | null
  readonly expires_at: Date | null
  readonly state: 'valid' | 'expired' | 'revoked'
  readonly used_recently: boolean
}

/** SQL: whether the key `k` was revoked, or the key that made it as a portal session. */
export const IS_REVOKED = `(
  k.revoked_at is not null
  or exists (select from posthorn.api_keys as g where g.id = k.granted_by and g.revoked_at is not null)
)`

/**
 * SQL: when the key `k` expires, or earlier the key that made it as a portal session; null for never. One step suffices:
 * only portal sessions are made by a key, and none of them has a scope to make another.
 */
export const EXPIRES_AT = `
  least(k.expires_at, (select g.expires_at from posthorn.api_keys as g where g.id = k.granted_by))`

/** SQL: a `KeyRow` of the key `k`. */
export const KEY_COLUMNS = `
  k.id, k.organization_id, k.scopes, k.requests_per_second, k.events_per_second,
  k.is_portal, k.webhook_id, ${EXPIRES_AT} as expires_at,
  case
    when ${IS_REVOKED} then 'revoked'
    when ${EXPIRES_AT} <= now() then 'expired'
    else 'valid'
  end as state,
  coalesce(k.last_used_at > now() - interval '1 minute', false) as used_recently`

/**
 * Asks the database every time, and only after the request arrived, so that a revocation acts at once in every process;
 * requests that arrive together share a statement.
 */
export function createAuthenticate(
  sql: Sql,
  now: () => number = () => performance.now(),
): Authenticate {
  const failed = createFailedAttempts(now)
  const find = batched((hashes: Buffer[]) => findKeys(sql, hashes), {
    gatherMs: 0,
    maxSize: 500,
    parallel: 1,
  })

  async function callerFor(authorization: string): Promise<Caller> {
    const token = bearerToken(authorization)
    if (token === null) {
      throw unauthenticated('The Authorization header is not of the form `Bearer <API key>`.')
    }
    if (!isWellFormedToken(token)) throw unauthenticated('The API key is malformed.')
    const key = await find(Buffer.from(hashToken(token)))
    if (!key) throw unauthenticated('The API key is unknown.')
    if (key.state !== 'valid') throw unauthenticated(`The API key is ${key.state}.`)
    return toCaller(sql, key)
  }

  return async (authorization, address) => {
    if (!authorization) {
      throw unauthenticated(
        'No API key was given. Send the header `Authorization: Bearer <API key>`.',
      )
    }
    try {
      return await callerFor(authorization)
    } catch (error) {
      const isFailure = error instanceof DomainError && error.code === 'unauthenticated'
      const waitSeconds = isFailure && address !== undefined ? failed.add(address) : 0
      throw waitSeconds > 0 ? tooManyFailures(waitSeconds) : error
    }
  }
}

/** The caller with a valid key. */
export function toCaller(sql: Sql, key: KeyRow): Caller {
  if (!key.used_recently) noteUse(sql, key.id)
  const { expires_at: expiresAt, webhook_id: webhookId } = key
  return {
    keyId: key.id,
    organizationId: key.organization_id,
    scopes: new Set(key.scopes),
    limits: resolveLimits({
      requestsPerSecond: key.requests_per_second,
      eventsPerSecond: key.events_per_second,
    }),
    ...(expiresAt && { expiresAt }),
    ...(key.is_portal && expiresAt && { portal: { webhookId, expiresAt } }),
  }
}

/** Says nothing of the key, so that whoever tries keys learns no more of them. */
function tooManyFailures(waitSeconds: number): DomainError {
  return rateLimited(
    `Too many requests with keys that are not valid came from this address. Check the API key, and try again in ${waitSeconds} seconds.`,
    waitSeconds,
  )
}

/** `null` where the header is of another form. */
function bearerToken(authorization: string): string | null {
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? null
}

/**
 * The hash is looked up in an index, never the token: how long that takes tells nothing of other tokens, as nobody can
 * choose what their own hashes to.
 */
async function findKeys(sql: Sql, hashes: Buffer[]): Promise<(KeyRow | undefined)[]> {
  const { rows } = await sql.query<KeyRow & { readonly hash: string }>({
    name: 'authenticate',
    text: `
      select encode(k.token_hash, 'hex') as hash, ${KEY_COLUMNS}
      from posthorn.api_keys as k where k.token_hash = any ($1::bytea[])`,
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
