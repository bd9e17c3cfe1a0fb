import { type IdKind, publicId } from '../../db/ids.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import { formatSecret } from '../../receiver/sign.ts'
import type { ExportedTable } from './describe-tables.ts'

type Row = Readonly<Record<string, unknown>>

/** Columns that hold ids. `id` depends on the table. */
const IDS: Readonly<Record<string, IdKind>> = {
  organization_id: 'organization',
  webhook_id: 'webhook',
  event_id: 'event',
  delivery_id: 'delivery',
  api_key_id: 'apiKey',
  granted_by: 'apiKey',
  task_id: 'bulkTask',
  incident_id: 'incident',
  consumer_id: 'consumer',
  address_id: 'noticeAddress',
  'organizations.id': 'organization',
  'webhooks.id': 'webhook',
  'events.id': 'event',
  'deliveries.id': 'delivery',
  'attempts.id': 'attempt',
  'api_keys.id': 'apiKey',
  'signing_secrets.id': 'signingSecret',
  'bulk_tasks.id': 'bulkTask',
  'audit_log.id': 'auditEntry',
  'notice_addresses.id': 'noticeAddress',
  'incidents.id': 'incident',
  'event_consumers.id': 'consumer',
  'consumer_leases.id': 'lease',
}

/** Hashes and ciphertexts are no data of the organization. */
const LEFT_OUT = /(_ciphertext|_hash)$/

/** A row for people and programs: with public ids, bytes in base64, and with secrets only if there is a keyring. */
export function readableRow({ name, bytes }: ExportedTable, row: Row, keyring: Keyring | null) {
  const columns = Object.entries(row).flatMap(([column, value]) => {
    if (LEFT_OUT.test(column)) return []
    const kind = IDS[`${name}.${column}`] ?? IDS[column]
    if (kind && typeof value === 'string') return [[column, publicId(kind, value)]]
    if (bytes.includes(column) && typeof value === 'string') {
      return [[column, bytesOf(value).toString('base64')]]
    }
    return [[column, value]]
  })
  return { ...Object.fromEntries(columns), ...(keyring && secretsOf(name, row, keyring)) }
}

/** Null: no key of POSTHORN_ENCRYPTION_KEYS decrypts it. */
function secretsOf(table: string, row: Row, keyring: Keyring): object {
  const id = String(row['id'])
  if (table === 'signing_secrets') {
    const key = decrypt(keyring, row['key_ciphertext'], id)
    return { key: key && formatSecret(key) }
  }
  if (table !== 'webhooks') return {}
  const { headers_ciphertext: ciphertext } = row
  const headers = ciphertext ? decrypt(keyring, ciphertext, id) : Buffer.from('{}')
  return { headers: headers && JSON.parse(headers.toString()) }
}

function decrypt(keyring: Keyring, ciphertext: unknown, id: string): Buffer | null {
  try {
    return keyring.decrypt(bytesOf(String(ciphertext)), id)
  } catch {
    return null
  }
}

/** `\x` and hex. */
function bytesOf(text: string): Buffer {
  return Buffer.from(text.slice('\\x'.length), 'hex')
}
