import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Sql } from '../db/client.ts'
import type { Keyring } from '../encryption.ts'
import { decryptHeaders } from './custom-headers-at-rest.ts'

/** What an attempt needs to know of its webhook, decrypted and ready for use. */
export interface SendOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly signingKey: KeyObject
}

/** The options of a webhook at a revision. Asking for the current revision never answers with an older state. */
export type FindSendOptions = (webhookUuid: string, revision: string) => Promise<SendOptions>

interface SendOptionsRow {
  readonly url: string
  readonly revision: string
  readonly headers_ciphertext: Buffer | null
  readonly secret_id: string
  readonly key_ciphertext: Buffer
}

/** Webhooks remembered at once; the one not used for longest makes room. */
const CACHE_SIZE = 10_000

/**
 * Remembers what it read and decrypted for as long as the webhook's revision stays the same. Every load of a delivery
 * brings the revision along, so a rotation or a change acts on the next attempt in every process, without a message.
 */
export function createFindSendOptions(sql: Sql, keyring: Keyring): FindSendOptions {
  const cache = new Map<string, { revision: string; options: Promise<SendOptions> }>()

  return (webhookUuid, revision) => {
    const known = cache.get(webhookUuid)
    cache.delete(webhookUuid)
    const entry =
      known?.revision === revision
        ? known
        : { revision, options: readSendOptions(sql, keyring, webhookUuid) }
    cache.set(webhookUuid, entry)
    if (cache.size > CACHE_SIZE) cache.delete(cache.keys().next().value as string)
    entry.options.catch(() => {
      if (cache.get(webhookUuid) === entry) cache.delete(webhookUuid)
    })
    return entry.options
  }
}

async function readSendOptions(
  sql: Sql,
  keyring: Keyring,
  webhookUuid: string,
): Promise<SendOptions> {
  const { rows } = await sql.query<SendOptionsRow>({
    name: 'read_send_options',
    text: `
      select w.url, w.revision, w.headers_ciphertext, s.id as secret_id, s.key_ciphertext
      from posthorn.webhooks as w
      join posthorn.signing_secrets as s on s.webhook_id = w.id and s.expires_at is null
      where w.id = $1`,
    values: [webhookUuid],
  })
  const [row] = rows
  if (!row) throw new Error(`The webhook ${webhookUuid} has no signing secret.`)
  return {
    url: row.url,
    headers: decryptHeaders(keyring, row.headers_ciphertext, webhookUuid),
    signingKey: createSecretKey(keyring.decrypt(row.key_ciphertext, row.secret_id)),
  }
}
