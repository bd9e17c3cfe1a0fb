import type { Sql } from '../db/client.ts'
import { parseId, publicId } from '../db/ids.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { formatSecret } from '../receiver/sign.ts'
import { readHeaders } from '../webhooks/encrypted-headers.ts'
import type {
  ApiKeyRecord,
  Contents,
  EventTypeRecord,
  OrganizationRecord,
  SigningSecretRecord,
  WebhookRecord,
} from './contents.ts'
import { EXPORTED_COLUMNS, type ExportedTable } from './exported-columns.ts'

/**
 * The configuration in the database, or what it has of the records `only`. Throws if no key of the keyring decrypts a
 * secret or the headers of a webhook.
 */
export async function readContents(sql: Sql, keyring: Keyring, only?: Contents): Promise<Contents> {
  const webhookUuids = only && uuidsOf('webhook', only.webhooks)
  const organizations = await readRows(sql, 'organizations', {
    ids: only && uuidsOf('organization', only.organizations),
    condition: 'deleted_at is null',
  })
  const eventTypes = await readRows(sql, 'event_types', {
    key: 'name',
    ids: only?.eventTypes.map(({ name }) => name),
  })
  const webhooks = await readRows(sql, 'webhooks', {
    ids: webhookUuids,
    condition: 'deleted_at is null',
  })
  const secrets = await readRows(sql, 'signing_secrets', {
    filter: 'webhook_id',
    ids: webhookUuids,
    condition: `(expires_at is null or expires_at > now())
      and webhook_id in (
        select w.id from posthorn.webhooks as w where w.deleted_at is null)`,
  })
  const apiKeys = await readRows(sql, 'api_keys', {
    ids: only && uuidsOf('apiKey', only.apiKeys),
    condition: `session_kind is null
      and organization_id in (select o.id from posthorn.organizations as o where o.deleted_at is null)`,
  })
  return {
    organizations: organizations.map(toOrganization),
    eventTypes: eventTypes.map(toEventType),
    webhooks: toWebhooks(keyring, webhooks, secrets),
    apiKeys: apiKeys.map(toApiKey),
  }
}

/** A row as JSON: bytes are `\x` and hex, times are of RFC 3339 with all their digits. */
// biome-ignore lint/suspicious/noExplicitAny: the columns are those of EXPORTED_COLUMNS, which a test compares with the database
type Row = Readonly<Record<string, any>>

interface Selection {
  readonly key?: 'id' | 'name'
  /** The column that `ids` are of. Default: the key. */
  readonly filter?: string
  /** Default: all. */
  readonly ids?: readonly string[] | undefined
  readonly condition?: string
}

const PAGE_SIZE = 1_000

/** The rows of a table in the order of their key, read in pages. */
async function readRows(
  sql: Sql,
  table: ExportedTable,
  { key = 'id', filter = key, ids, condition = 'true' }: Selection,
): Promise<Row[]> {
  const type = key === 'id' ? 'uuid' : 'text'
  const columns = EXPORTED_COLUMNS[table].join(', ')
  const rows: Row[] = []
  for (let after: string | null = null; ; ) {
    const page: { readonly rows: { readonly row: Row }[] } = await sql.query(
      `select to_jsonb(r) as row from (
         select ${columns} from posthorn.${table}
         where ($1::${type} is null or ${key} > $1) and ($2::${type}[] is null or ${filter} = any ($2)) and ${condition}
         order by ${key} limit ${PAGE_SIZE}
       ) as r`,
      [after, ids ?? null],
    )
    rows.push(...page.rows.map(({ row }) => row))
    if (page.rows.length < PAGE_SIZE) return rows
    after = rows.at(-1)?.[key]
  }
}

function toOrganization({ id, ...row }: Row): OrganizationRecord {
  return { id: publicId('organization', id), ...inCamelCase(row) } as OrganizationRecord
}

function toEventType({ group_name: group, ...row }: Row): EventTypeRecord {
  return { ...inCamelCase(row), group } as EventTypeRecord
}

function toApiKey({ id, organization_id, token_hash, ...row }: Row): ApiKeyRecord {
  return {
    id: publicId('apiKey', id),
    organizationId: publicId('organization', organization_id),
    tokenHash: bytesOf(token_hash).toString('hex'),
    ...inCamelCase(row),
  } as ApiKeyRecord
}

function toWebhooks(keyring: Keyring, rows: readonly Row[], secrets: readonly Row[]) {
  const secretsByWebhook = Map.groupBy(secrets, (row) => row['webhook_id'] as string)
  const unreadable: string[] = []
  const webhooks = rows.map((row) => {
    const { id, organization_id, headers_ciphertext, ...others } = row
    const { own_retry_schedule, retry_schedule_seconds, ...settings } = others
    const ciphertext = headers_ciphertext === null ? null : bytesOf(headers_ciphertext)
    const headers = readHeaders(keyring, ciphertext, id)
    const signingSecrets = (secretsByWebhook.get(id) ?? []).map((one) => toSecret(keyring, one))
    if (headers === null || signingSecrets.includes(null)) unreadable.push(publicId('webhook', id))
    return {
      id: publicId('webhook', id),
      organizationId: publicId('organization', organization_id),
      headers,
      retryScheduleSeconds: own_retry_schedule ? retry_schedule_seconds : null,
      ...inCamelCase(settings),
      signingSecrets,
    } as WebhookRecord
  })
  if (unreadable.length > 0) throw new Error(explainUnreadable(unreadable))
  return webhooks
}

/** Returns `null` if no key of the keyring decrypts the secret. */
function toSecret(keyring: Keyring, row: Row): SigningSecretRecord | null {
  const { id, key_ciphertext, created_at: createdAt, expires_at: expiresAt } = row
  try {
    const key = formatSecret(keyring.decrypt(bytesOf(key_ciphertext), id))
    return { id: publicId('signingSecret', id), key, createdAt, expiresAt }
  } catch {
    return null
  }
}

function explainUnreadable(ids: readonly string[]): string {
  const more = ids.length > 3 ? ` and ${ids.length - 3} more` : ''
  return `No key of POSTHORN_ENCRYPTION_KEYS decrypts the secrets of ${ids.slice(0, 3).join(', ')}${more}. Add the key that encrypted them to the end of the list, or set the headers of these webhooks again and rotate their signing secrets.`
}

function inCamelCase(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  )
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text.slice('\\x'.length), 'hex')
}

function uuidsOf(kind: Parameters<typeof parseId>[0], records: readonly { readonly id: string }[]) {
  return records.map(({ id }) => parseId(kind, id) as string)
}
