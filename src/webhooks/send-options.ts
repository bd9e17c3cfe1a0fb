import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Keyring } from '../auth/encryption/keyring.ts'
import type { Sql } from '../db/client.ts'
import type { Webhook as WebhookRow } from '../db/generated/prisma/client.ts'
import { batched } from '../lib/batch.ts'
import { LruMap, MAX_AGE_MS } from '../lib/lru-map.ts'
import { requestedUrl } from '../outbound/destination-url.ts'
import { areReadable, readHeaders } from './encrypted-headers.ts'
import { readKey } from './signing-secret.ts'

type AttemptSettings = Pick<
  WebhookRow,
  'url' | 'ordered' | 'rateLimitPerSecond' | 'maxInFlight' | 'timeoutSeconds' | 'headerPrefix'
>

/** The settings of a webhook that an attempt needs, decrypted. Null: the default of the process or the installation. */
export interface SendOptions extends AttemptSettings {
  /** The URL as it is on the wire. */
  readonly requestedUrl: string
  readonly headers: Readonly<Record<string, string>>
  /** Null: the keys of this process cannot decrypt the secret or the custom headers, so nothing can be sent. */
  readonly signingKey: KeyObject | null
  /** The time for the endpoint to acknowledge. */
  readonly timeoutMs: number | null
  /** The delay after each failed attempt. Empty: no retries. */
  readonly retryScheduleMs: readonly number[] | null
}

/**
 * The send options of a webhook at a revision, or `null` if the webhook was deleted. For the current revision, the options
 * are never older.
 */
export type FindSendOptions = (webhookUuid: string, revision: string) => Promise<SendOptions | null>

/** What `readSendOptions` selects. */
interface SendOptionsRow extends AttemptSettings {
  readonly id: string
  readonly headersCiphertext: Buffer | null
  readonly secretId: string | null
  readonly keyCiphertext: Buffer | null
  readonly retryScheduleSeconds: readonly number[] | null
}

/** Cached webhooks, and the characters of their URLs and headers. The least recently used one is evicted. */
const CACHE_SIZE = 10_000
const CACHED_CHARACTERS = 8 * 1024 * 1024

/**
 * Caches the decrypted options of a webhook per revision. Loading a delivery reads the current revision, so a rotated
 * secret or a changed webhook applies to the next attempt in every process, without an invalidation message.
 */
export function createFindSendOptions(sql: Sql, keyring: Keyring): FindSendOptions {
  const cache = new LruMap<string, { readonly revision: string; readonly options: SendOptions }>({
    maxEntries: CACHE_SIZE,
    weight: { max: CACHED_CHARACTERS, of: ({ options }) => charactersOf(options) },
    maxAgeMs: MAX_AGE_MS,
  })
  const read = batched((uuids: string[]) => readSendOptions(sql, keyring, uuids), { maxSize: 500 })
  return async (webhookUuid, revision) => {
    const known = cache.get(webhookUuid)
    if (known?.revision === revision) return known.options
    const options = await read(webhookUuid)
    // Repairing a ciphertext in the database does not change the revision.
    if (options?.signingKey) cache.set(webhookUuid, { revision, options })
    return options
  }
}

function charactersOf({ url, headers }: SendOptions): number {
  return Object.entries(headers).flat().concat(url).join('').length
}

async function readSendOptions(
  sql: Sql,
  keyring: Keyring,
  webhookUuids: readonly string[],
): Promise<(SendOptions | null)[]> {
  const { rows } = await sql.query<SendOptionsRow>({
    name: 'read_send_options',
    text: `
      select w.id, w.url, w.ordered, w.rate_limit_per_second as "rateLimitPerSecond", w.max_in_flight as "maxInFlight",
        w.timeout_seconds as "timeoutSeconds", w.header_prefix as "headerPrefix", w.headers_ciphertext as "headersCiphertext", s.id as "secretId", s.key_ciphertext as "keyCiphertext",
        case when w.own_retry_schedule then w.retry_schedule_seconds end as "retryScheduleSeconds"
      from posthorn.webhooks as w
      left join posthorn.signing_secrets as s on s.webhook_id = w.id and s.expires_at is null
      where w.id = any ($1::uuid[]) and w.deleted_at is null`,
    values: [[...new Set(webhookUuids)]],
  })
  const found = new Map(rows.map((row) => [row.id, toSendOptions(keyring, row)]))
  return webhookUuids.map((uuid) => found.get(uuid) ?? null)
}

function toSendOptions(keyring: Keyring, row: SendOptionsRow): SendOptions {
  const { id, headersCiphertext, secretId, keyCiphertext, retryScheduleSeconds, ...options } = row
  const headers = readHeaders(keyring, headersCiphertext, id)
  const key = secretId && keyCiphertext && readKey(keyring, keyCiphertext, secretId)
  return {
    ...options,
    requestedUrl: requestedUrl(row.url),
    headers,
    signingKey: areReadable(headers) && key ? createSecretKey(key) : null,
    timeoutMs: row.timeoutSeconds === null ? null : row.timeoutSeconds * 1_000,
    retryScheduleMs: retryScheduleSeconds?.map((seconds) => seconds * 1_000) ?? null,
  }
}
