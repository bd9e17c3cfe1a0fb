import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Sql } from '../db/client.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { readHeaders } from './encrypted-headers.ts'

/** What an attempt needs to know of its webhook, decrypted and ready for use. */
export interface SendOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Null: it, or the custom headers, cannot be decrypted with the keys of this process, so nothing can be sent. */
  readonly signingKey: KeyObject | null
  /** The attempts in flight in each process. Null: the limit adapts to the endpoint. */
  readonly maxInFlight: number | null
  /** The attempts a second, of all processes together. Null: as many as there are. */
  readonly ratePerSecond: number | null
  /** Whether one delivery at a time is sent, in the order of the events. */
  readonly ordered: boolean
  /** The acknowledgement time. Null: that of the process. */
  readonly timeoutMs: number | null
  /** The delay after each failed attempt; empty for no retries. Null: those of the process. */
  readonly retryScheduleMs: readonly number[] | null
}

/** The options of a webhook at a revision. Asking for the current revision never answers with an older state. */
export type FindSendOptions = (
  webhookUuid: string,
  revision: string,
) => SendOptions | Promise<SendOptions>

interface SendOptionsRow {
  readonly url: string
  readonly revision: string
  readonly headers_ciphertext: Buffer | null
  readonly secret_id: string
  readonly key_ciphertext: Buffer
  readonly max_in_flight: number | null
  readonly rate_limit_per_second: number | null
  readonly ordered: boolean
  readonly timeout_seconds: number | null
  readonly own_retry_schedule: boolean
  readonly retry_schedule_seconds: readonly number[]
}

/** Webhooks remembered at once; the one not used for longest makes room. */
const CACHE_SIZE = 10_000

/**
 * Remembers what it read and decrypted for as long as the webhook's revision stays the same. Every load of a delivery
 * brings the revision along, so a rotation or a change acts on the next attempt in every process, without a message.
 */
export function createFindSendOptions(sql: Sql, keyring: Keyring): FindSendOptions {
  const cache = new Map<string, Entry>()

  function read(webhookUuid: string, revision: string): Promise<SendOptions> {
    const reading = readSendOptions(sql, keyring, webhookUuid)
    const entry: Entry = { revision, options: reading }
    cache.set(webhookUuid, entry)
    const forget = () => {
      if (cache.get(webhookUuid) === entry) cache.delete(webhookUuid)
    }
    reading.then((options) => {
      // What cannot be decrypted may be mended in the database, which no revision tells of.
      if (options.signingKey === null) forget()
      else entry.options = options
    }, forget)
    return reading
  }

  return (webhookUuid, revision) => {
    const known = cache.get(webhookUuid)
    // Who was used last comes last, where it matters.
    if (known && cache.size >= CACHE_SIZE) {
      cache.delete(webhookUuid)
      cache.set(webhookUuid, known)
    }
    if (known?.revision === revision) return known.options
    if (!known && cache.size >= CACHE_SIZE) cache.delete(cache.keys().next().value as string)
    return read(webhookUuid, revision)
  }
}

interface Entry {
  readonly revision: string
  options: SendOptions | Promise<SendOptions>
}

async function readSendOptions(
  sql: Sql,
  keyring: Keyring,
  webhookUuid: string,
): Promise<SendOptions> {
  const { rows } = await sql.query<SendOptionsRow>({
    name: 'read_send_options',
    text: `
      select w.url, w.revision, w.headers_ciphertext, s.id as secret_id, s.key_ciphertext, w.max_in_flight,
        w.rate_limit_per_second, w.ordered, w.timeout_seconds, w.own_retry_schedule, w.retry_schedule_seconds
      from posthorn.webhooks as w
      join posthorn.signing_secrets as s on s.webhook_id = w.id and s.expires_at is null
      where w.id = $1`,
    values: [webhookUuid],
  })
  const [row] = rows
  if (!row) throw new Error(`The webhook ${webhookUuid} has no signing secret.`)
  const headers = readHeaders(keyring, row.headers_ciphertext, webhookUuid)
  const signingKey = readSigningKey(keyring, row)
  return {
    url: row.url,
    headers: headers ?? {},
    signingKey: headers && signingKey,
    maxInFlight: row.max_in_flight,
    ratePerSecond: row.rate_limit_per_second,
    ordered: row.ordered,
    timeoutMs: row.timeout_seconds === null ? null : row.timeout_seconds * 1_000,
    retryScheduleMs: row.own_retry_schedule
      ? row.retry_schedule_seconds.map((seconds) => seconds * 1_000)
      : null,
  }
}

function readSigningKey(keyring: Keyring, row: SendOptionsRow): KeyObject | null {
  try {
    return createSecretKey(keyring.decrypt(row.key_ciphertext, row.secret_id))
  } catch {
    return null
  }
}
