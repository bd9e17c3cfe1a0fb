import { COMMAND_LINE } from '../access/actor.ts'
import type { AuditAction } from '../audit/audit-entry.ts'
import { type Entry, writeAuditEntries } from '../audit/write-audit-entries.ts'
import type { Sql } from '../db/client.ts'
import { mintUuid, parseId } from '../db/ids.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { compileFilter } from '../filters/compile-filter.ts'
import { parseStoredFilter } from '../filters/read-filter.ts'
import { pagesOf } from '../lib/pages-of.ts'
import { parseSecret } from '../receiver/signature.ts'
import { encryptHeaders } from '../webhooks/encrypted-headers.ts'
import { MASK } from '../webhooks/mask.ts'
import { retryScheduleColumns } from '../webhooks/retry-schedule-columns.ts'
import type { Contents, EventTypeRecord, WebhookRecord } from './contents.ts'
import { EXPORTED_COLUMNS, type ExportedTable } from './exported-columns.ts'
import type { Comparison } from './find-differences.ts'
import { writeFirstBodies } from './write-first-bodies.ts'

/** Inserts what is missing, with the ids and times of the file and an audit entry each. */
export async function writeContents(
  sql: Sql,
  keyring: Keyring,
  { missing, replaced }: Comparison,
): Promise<void> {
  const { organizations, eventTypes, webhooks, apiKeys } = missing
  await insert(sql, 'organizations', organizations.map(toRow))
  // First, because selections are compiled against them.
  await insert(sql, 'event_types', eventTypes.map(toEventTypeRow))
  await replaceEventTypes(sql, replaced)
  const webhookRows = webhooks.map((webhook) => toWebhookRow(keyring, webhook))
  await insert(sql, 'webhooks', webhookRows, [
    'filter_path',
    'filter_times',
    'filter_steps',
    'filter_scans',
    'body_id',
  ])
  await writeFirstBodies(sql, webhookRows)
  await insert(
    sql,
    'signing_secrets',
    webhooks.flatMap((webhook) => toSecretRows(keyring, webhook)),
  )
  await insert(
    sql,
    'api_keys',
    apiKeys.map(({ tokenHash, ...key }) => ({ ...toRow(key), token_hash: `\\x${tokenHash}` })),
  )
  await writeAuditEntries(sql, COMMAND_LINE, createdEntries(missing, replaced))
}

type Row = Readonly<Record<string, unknown>>

/** `others`: columns that an export does not have. */
async function insert(
  sql: Sql,
  table: ExportedTable,
  rows: readonly Row[],
  others: readonly string[] = [],
): Promise<void> {
  const columns = [...EXPORTED_COLUMNS[table], ...others].join(', ')
  for (const page of pagesOf(rows)) {
    await sql.query(
      `insert into posthorn.${table} (${columns})
       select ${columns} from json_populate_recordset(null::posthorn.${table}, $1)`,
      [JSON.stringify(page)],
    )
  }
}

/** A publisher that has checked an event against the previous revision checks it again. */
async function replaceEventTypes(sql: Sql, types: readonly EventTypeRecord[]): Promise<void> {
  for (const page of pagesOf(types.map(toEventTypeRow))) {
    await sql.query(
      `update posthorn.event_types as t
       set description = new.description, schema = new.schema, example = new.example, search_keys = new.search_keys,
         group_name = new.group_name, retention_days = new.retention_days, created_at = new.created_at, updated_at = new.updated_at, archived_at = new.archived_at,
         revision = t.revision + 1
       from json_populate_recordset(null::posthorn.event_types, $1) as new where new.name = t.name`,
      [JSON.stringify(page)],
    )
  }
}

function toEventTypeRow({ group, ...type }: EventTypeRecord): Row {
  return { ...toRow(type), group_name: group }
}

function toWebhookRow(keyring: Keyring, webhook: WebhookRecord): Row {
  const { headers, filter, retryScheduleSeconds, signingSecrets: _, ...fields } = webhook
  const row = toRow(fields)
  const schedule = retryScheduleColumns(retryScheduleSeconds)
  const compiled = filter === null ? null : compileFilter(parseStoredFilter(filter))
  return {
    ...row,
    filter,
    filter_path: compiled?.path ?? null,
    filter_times: compiled && compiled.times.length > 0 ? compiled.times : null,
    filter_steps: compiled?.cost.steps ?? null,
    filter_scans: compiled?.cost.scans ?? null,
    body_id: fields.selection === null && fields.template === null ? null : mintUuid(),
    headers_ciphertext: bytea(encryptHeaders(keyring, headers, row['id'] as string)),
    own_retry_schedule: schedule.ownRetrySchedule,
    retry_schedule_seconds: schedule.retryScheduleSeconds,
  }
}

function toSecretRows(keyring: Keyring, { id, signingSecrets }: WebhookRecord): Row[] {
  const webhookId = parseId('webhook', id)
  return signingSecrets.map(({ key, ...secret }) => {
    const row = toRow(secret)
    const ciphertext = keyring.encrypt(parseSecret(key), row['id'] as string)
    return { ...row, webhook_id: webhookId, key_ciphertext: bytea(ciphertext) }
  })
}

const ID_KINDS = ['organization', 'webhook', 'apiKey', 'signingSecret'] as const

/** `{ organizationId: 'org_…' }` -> `{ organization_id: '0190…' }` */
function toRow(record: object): Row {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      name === 'id' || name === 'organizationId' ? uuidOf(value) : value,
    ]),
  )
}

function uuidOf(id: string): string {
  const [uuid] = ID_KINDS.flatMap((kind) => parseId(kind, id) ?? [])
  return uuid as string
}

function bytea(bytes: Uint8Array | null): string | null {
  return bytes && `\\x${Buffer.from(bytes).toString('hex')}`
}

/** The entries that creating each object by the API would have written. */
function createdEntries(
  { organizations, webhooks, apiKeys, eventTypes }: Contents,
  replaced: readonly EventTypeRecord[],
): Entry[] {
  return [
    ...organizations.map(({ id, ...organization }) =>
      entry('organization.created', id, id, organization),
    ),
    ...webhooks.map(({ id, organizationId, ...webhook }) =>
      entry('webhook.created', organizationId, id, auditedWebhook(webhook)),
    ),
    ...apiKeys.map(({ id, organizationId, tokenHash: _, ...key }) =>
      entry('api_key.created', organizationId, id, key),
    ),
    ...eventTypes.map(({ name, ...type }) => entry('event_type.created', null, name, type)),
    ...replaced.map(({ name, ...type }) => entry('event_type.updated', null, name, type)),
  ]
}

function entry(
  action: AuditAction,
  organizationId: string | null,
  subjectId: string,
  record: object,
): Entry {
  const { createdAt: _, updatedAt: __, ...after } = record as Record<string, unknown>
  return { action, organizationId, subjectId, after }
}

function auditedWebhook({
  headers,
  signingSecrets: _,
  ...webhook
}: Omit<WebhookRecord, 'id' | 'organizationId'>) {
  const names = Object.keys(headers ?? {})
  return {
    ...webhook,
    headers: Object.fromEntries(names.map((name) => [name, MASK])),
  }
}
