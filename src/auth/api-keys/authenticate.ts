import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Sql } from '../../db/client.ts'
import { batched } from '../../lib/batch.ts'
import { DomainError } from '../../lib/errors.ts'
import { LruMap } from '../../lib/lru-map.ts'
import { createFailureCount } from '../access/rate-limit.ts'
import {
  type Caller,
  type CallerSession,
  credentialOf,
  type Limits,
  type Scope,
} from '../access/scope.ts'

/**
 * Authenticates the value of an `Authorization` header. Throws `unauthenticated`, or `rate_limited` for an address with
 * too many failures. Reads the key from the database, so that a revocation applies at once in every process. With `memory`,
 * a key that was read within the last minute is not read again: for calls whose statement checks the key.
 */
export type Authenticate = (
  authorization: string | null | undefined,
  address?: string,
  from?: 'database' | 'memory',
) => Promise<Caller>

/** The columns of `KEY_COLUMNS`. */
export interface KeyRow extends Limits {
  readonly id: string
  readonly keyVersion: string
  readonly organizationId: string
  readonly scopes: Scope[]
  readonly sessionKind: CallerSession['kind'] | null
  readonly webhookId: string | null
  readonly expiresAt: Date | null
  readonly state: 'valid' | 'expired' | 'revoked'
  readonly usedRecently: boolean
}

/** SQL: whether the key `k` was revoked or, for a session, the key that created it. */
const IS_REVOKED = `(
  k.revoked_at is not null
  or exists (select from posthorn.api_keys as g where g.id = k.granted_by and g.revoked_at is not null)
)`

/** SQL: a `KeyRow` of the key `k`. */
export const KEY_COLUMNS = `
  k.id, posthorn.api_key_version(k) as "keyVersion", k.organization_id as "organizationId", k.scopes,
  k.requests_per_second as "requestsPerSecond", k.events_per_second as "eventsPerSecond",
  k.deliveries_per_second as "deliveriesPerSecond", k.session_kind as "sessionKind", k.webhook_id as "webhookId",
  k.expires_at as "expiresAt",
  case
    when ${IS_REVOKED} then 'revoked'
    when k.expires_at <= now() then 'expired'
    else 'valid'
  end as state,
  coalesce(k.last_used_at > now() - interval '1 minute', false) as "usedRecently"`

/** Concurrent requests share a statement. */
export function createAuthenticate(
  sql: Sql,
  now: () => number = () => performance.now(),
): Authenticate {
  const counted = createFailureCount('an invalid API key', now)
  const find = byHash(sql, AUTHENTICATE, (key: KeyRow) => callerOrError(sql, key))
  // At most some 5 MB. The last use of a key is written when it is read: a longer time would make it wrong.
  const remembered = new LruMap<string, Caller>({ maxEntries: 10_000, maxAgeMs: 60_000 })

  async function callerFor(authorization: string): Promise<Caller> {
    const [, token] = /^Bearer +(\S+) *$/i.exec(authorization) ?? []
    if (token === undefined) {
      throw unauthenticated('The Authorization header must have the form `Bearer <API key>`.')
    }
    if (!isWellFormedToken(token)) throw unauthenticated('The API key is malformed.')
    const found = await find(hashToken(token))
    // The usual form of the header, so that the length of what is remembered is bounded.
    const header = `Bearer ${token}`
    remembered.delete(header)
    if (!found) throw unauthenticated('The API key is unknown.')
    if (found instanceof Error) throw found
    // The statements check neither the restrictions of a session nor the key that created it.
    if (!found.session) remembered.set(header, found)
    return found
  }

  return async (authorization, address, from = 'database') => {
    if (!authorization) {
      throw unauthenticated(
        'No API key was given. Send the header `Authorization: Bearer <API key>`.',
      )
    }
    const caller = from === 'memory' ? remembered.get(authorization) : undefined
    if (caller) return caller
    try {
      return await callerFor(authorization)
    } catch (error) {
      throw counted(error, address)
    }
  }
}

/** The caller of a valid key. */
export function toCaller(sql: Sql, key: KeyRow): Caller {
  if (!key.usedRecently) recordUse(sql, key.id)
  const { requestsPerSecond, eventsPerSecond, deliveriesPerSecond } = key
  return {
    keyId: key.id,
    keyVersion: key.keyVersion,
    organizationId: key.organizationId,
    scopes: new Set(key.scopes),
    limits: { requestsPerSecond, eventsPerSecond, deliveriesPerSecond },
    expiresAt: key.expiresAt,
    consoleSessionId: null,
    person: null,
    session: sessionOf(key),
  }
}

function sessionOf({ sessionKind: kind, webhookId, expiresAt }: KeyRow): CallerSession | null {
  return kind && expiresAt ? { kind, webhookId, expiresAt } : null
}

const AUTHENTICATE = {
  name: 'authenticate',
  text: `
    select encode(k.token_hash, 'hex') as hash, ${KEY_COLUMNS}
    from posthorn.api_keys as k where k.token_hash = any ($1::bytea[])`,
}

/**
 * Finds something by the hash of a token. Concurrent requests share a statement, and those with one token what is made of
 * its row.
 *
 * The unique index on hashes serves the lookup. Comparing hashes instead of tokens makes timing attacks useless,
 * because a client cannot choose the hash of a token.
 */
export function byHash<Row, Found>(
  sql: Sql,
  query: { readonly name: string; readonly text: string },
  read: (row: Row) => Found,
): (hash: Uint8Array) => Promise<Found | undefined> {
  async function find(hashes: Uint8Array[]): Promise<(Found | undefined)[]> {
    const { rows } = await sql.query<Row & { hash: string }>({ ...query, values: [hashes] })
    const found = new Map(rows.map((row) => [row.hash, read(row)]))
    return hashes.map((hash) => found.get(Buffer.from(hash).toString('hex')))
  }
  return batched(find, { maxSize: 500, parallel: 1 })
}

function callerOrError(sql: Sql, key: KeyRow): Caller | DomainError {
  if (key.state === 'valid') return toCaller(sql, key)
  return unauthenticated(`The ${credentialOf({ session: sessionOf(key) })} is ${key.state}.`)
}

/** Writes at most once a minute, without delaying or failing the request. */
function recordUse(sql: Sql, keyId: string): void {
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

/** Who has a stream open: an API key, perhaps through a session of the console, as uuids. */
interface OpenCaller {
  readonly apiKeyId: string
  readonly sessionId: string | null
}

/** Why each caller may call no more, or null, in order. A key or session without a row was deleted. */
export async function findEnded(
  sql: Sql,
  callers: readonly OpenCaller[],
): Promise<('revoked' | 'expired' | 'signed out' | null)[]> {
  const { rows } = await sql.query<{ reason: 'revoked' | 'expired' | 'signed out' | null }>({
    name: 'find_ended',
    text: `
      select case
          when k.id is null or ${IS_REVOKED} then 'revoked'
          when k.expires_at <= now() then 'expired'
          when caller.session_id is not null and coalesce(s.expires_at <= now(), true) then 'signed out'
        end as reason
      from unnest($1::uuid[], $2::uuid[]) with ordinality as caller (key_id, session_id, n)
      left join posthorn.api_keys as k on k.id = caller.key_id
      left join posthorn.sessions as s on s.id = caller.session_id
      order by caller.n`,
    values: [callers.map((one) => one.apiKeyId), callers.map((one) => one.sessionId)],
  })
  return rows.map(({ reason }) => reason)
}

// `phk_` or, for a session, `phs_`, 32 random bytes in base62 (43 characters), and their checksum (6 characters). The checksum detects typing
// errors and invented tokens without the database, and lets secret scanners recognize real tokens.
const PREFIXES = { key: 'phk_', session: 'phs_' } as const
const RANDOM_LENGTH = 43
const CHECKSUM_LENGTH = 6
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const TOKEN = new RegExp(
  `^ph[ks]_([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
)

/** Generates the token of a new API key, or of a portal or frontend session. */
export function mintToken(kind: keyof typeof PREFIXES = 'key'): string {
  const random = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), RANDOM_LENGTH)
  return PREFIXES[kind] + random + checksum(random)
}

/** Whether a token has the form and the checksum of an API key. */
export function isWellFormedToken(token: string): boolean {
  const [, random, actual] = TOKEN.exec(token) ?? []
  return random !== undefined && checksum(random) === actual
}

/** The stored hash of a token. */
export function hashToken(token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(hash('sha256', token, 'buffer'))
}

/** The first characters of a token, which identify a key for people. */
export function tokenHint(token: string): string {
  return token.slice(0, PREFIXES.key.length + 4)
}

function checksum(random: string): string {
  let text = ''
  for (let rest = crc32(random); text.length < CHECKSUM_LENGTH; rest = Math.floor(rest / 62)) {
    text = ALPHABET.charAt(rest % 62) + text
  }
  return text
}

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n)
    text = ALPHABET[Number(rest % 62n)] + text
  return text
}
