import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { LruMap, MAX_IDLE_MS } from '../lib/lru-map.ts'
import { requestedUrl } from '../outbound/destination-url.ts'
import { readHeaders } from './encrypted-headers.ts'

/** The settings of a webhook that an attempt needs, decrypted. */
export interface SendOptions {
  readonly url: string
  /** The URL as it is on the wire. */
  readonly requestedUrl: string
  readonly headers: Readonly<Record<string, string>>
  /** Null: the keys of this process cannot decrypt the secret or the custom headers, so nothing can be sent. */
  readonly signingKey: KeyObject | null
  /** The prefix of the headers of the id, the timestamp and the signature. Null: that of the installation. */
  readonly headerPrefix: string | null
  /** Maximum attempts in flight per process. Null: the limit adapts to the endpoint. */
  readonly maxInFlight: number | null
  /** Maximum attempts per second over all processes. Null: no limit. */
  readonly ratePerSecond: number | null
  /** Whether deliveries are sent one at a time, in the order of the events. */
  readonly ordered: boolean
  /** The time for the endpoint to acknowledge. Null: the default of the process. */
  readonly timeoutMs: number | null
  /** The delay after each failed attempt. Empty: no retries. Null: the default of the process. */
  readonly retryScheduleMs: readonly number[] | null
  /** Whether an answer with 410 ends the webhook. */
}

/**
 * The send options of a webhook at a revision, or `null` if the webhook was deleted. For the current revision, the options
 * are never older.
 */
export type FindSendOptions = (
  webhookUuid: string,
  revision: string,
) => SendOptions | null | Promise<SendOptions | null>

interface SendOptionsRow {
  readonly url: string
  readonly revision: string
  readonly headers_ciphertext: Buffer | null
  readonly secret_id: string | null
  readonly key_ciphertext: Buffer | null
  readonly header_prefix: string | null
  readonly max_in_flight: number | null
  readonly rate_limit_per_second: number | null
  readonly ordered: boolean
  readonly timeout_seconds: number | null
  readonly own_retry_schedule: boolean
  readonly retry_schedule_seconds: readonly number[]
}

/** Cached webhooks, and the characters of their URLs and headers. The least recently used one is evicted. */
const CACHE_SIZE = 10_000
const CACHED_CHARACTERS = 8 * 1024 * 1024

/**
 * Caches the decrypted options of a webhook per revision. Loading a delivery reads the current revision, so a rotated
 * secret or a changed webhook applies to the next attempt in every process, without an invalidation message.
 */
export function createFindSendOptions(sql: Sql, keyring: Keyring): FindSendOptions {
  const cache = new LruMap<string, Entry>({
    maxEntries: CACHE_SIZE,
    weight: { max: CACHED_CHARACTERS, of: ({ characters }) => characters },
    maxIdleMs: MAX_IDLE_MS,
  })

  function read(webhookUuid: string, revision: string): Promise<SendOptions | null> {
    const reading = readSendOptions(sql, keyring, webhookUuid)
    const entry: Entry = { revision, options: reading, characters: 0 }
    cache.set(webhookUuid, entry)
    const evict = () => {
      if (cache.get(webhookUuid) === entry) cache.delete(webhookUuid)
    }
    reading.then((options) => {
      // Repairing the ciphertext in the database does not change the revision.
      if (!options?.signingKey) evict()
      else if (cache.get(webhookUuid) === entry) {
        cache.set(webhookUuid, { revision, options, characters: charactersOf(options) })
      }
    }, evict)
    return reading
  }

  return (webhookUuid, revision) => {
    const known = cache.get(webhookUuid)
    if (known?.revision === revision) return known.options
    return read(webhookUuid, revision)
  }
}

interface Entry {
  readonly revision: string
  readonly options: SendOptions | Promise<SendOptions | null>
  readonly characters: number
}

function charactersOf({ url, headers }: SendOptions): number {
  return Object.entries(headers).flat().concat(url).join('').length
}

async function readSendOptions(
  sql: Sql,
  keyring: Keyring,
  webhookUuid: string,
): Promise<SendOptions | null> {
  const { rows } = await sql.query<SendOptionsRow>({
    name: 'read_send_options',
    text: `
      select w.url, w.revision, w.headers_ciphertext, s.id as secret_id, s.key_ciphertext, w.max_in_flight,
        w.rate_limit_per_second, w.ordered, w.timeout_seconds, w.own_retry_schedule, w.retry_schedule_seconds,
        w.header_prefix
      from posthorn.webhooks as w
      left join posthorn.signing_secrets as s on s.webhook_id = w.id and s.expires_at is null
      where w.id = $1 and w.deleted_at is null`,
    values: [webhookUuid],
  })
  const [row] = rows
  if (!row) return null
  const headers = readHeaders(keyring, row.headers_ciphertext, webhookUuid)
  const signingKey = readSigningKey(keyring, webhookUuid, row)
  return {
    url: row.url,
    requestedUrl: requestedUrl(row.url),
    headers: headers ?? {},
    signingKey: headers && signingKey,
    headerPrefix: row.header_prefix,
    maxInFlight: row.max_in_flight,
    ratePerSecond: row.rate_limit_per_second,
    ordered: row.ordered,
    timeoutMs: row.timeout_seconds === null ? null : row.timeout_seconds * 1_000,
    retryScheduleMs: row.own_retry_schedule
      ? row.retry_schedule_seconds.map((seconds) => seconds * 1_000)
      : null,
  }
}

function readSigningKey(
  keyring: Keyring,
  webhookUuid: string,
  { secret_id, key_ciphertext }: SendOptionsRow,
): KeyObject | null {
  if (secret_id === null || key_ciphertext === null) {
    throw new Error(`The webhook ${publicId('webhook', webhookUuid)} has no signing secret.`)
  }
  try {
    return createSecretKey(keyring.decrypt(key_ciphertext, secret_id))
  } catch {
    return null
  }
}
