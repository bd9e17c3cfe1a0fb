import { isUtf8 } from 'node:buffer'
import type { Actor } from '../access/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import type { Db, Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import { firstDeliveryOf } from '../deliveries/erase-events.ts'
import { findSearchKey, type SearchKey } from '../event-types/find-search-key.ts'
import { hashKey } from './hashed-key.ts'
import { hasText, redact } from './redact.ts'
import { selectEvents } from './select-events.ts'
import { FIRST_ID } from './selection.ts'

interface ExportDeps {
  readonly prisma: Db
  readonly sql: Sql
  /** The actor, for the audit log. */
  readonly actor: Actor
}

const PAGE_SIZE = 50

/**
 * All that an organization's tables have about a value at a search key, as lines of JSON: the events with the value, each
 * followed by its deliveries and their attempts, and then the audit entries that name the value. The audit log records the
 * export, without the value.
 */
export async function* exportSubject(
  { prisma, sql, actor }: ExportDeps,
  organizationUuid: string,
  given: SearchKey,
): AsyncGenerator<string> {
  const key = await findSearchKey(sql, given, 'key')
  const hashed = hashKey(key)
  await writeAuditEntry(prisma, actor, {
    action: 'subject.exported',
    organizationId: organizationUuid,
    subjectId: publicId('organization', organizationUuid),
    after: { key: key.path },
  })
  const selected = { organizationUuid, selection: { key: hashed }, value: key.equals }
  let reachedId = FIRST_ID
  for (;;) {
    const page = await selectEvents(sql, selected, reachedId, PAGE_SIZE)
    for (const uuid of page.uuids) yield* linesOfEvent(sql, uuid)
    reachedId = page.reachedId
    if (page.last) break
  }
  yield* auditLines(sql, organizationUuid, key.equals)
}

async function* linesOfEvent(sql: Sql, uuid: string): AsyncGenerator<string> {
  const { rows: events } = await sql.query(
    `select posthorn.type_id('evt', id) as id, type, occurred_at, posthorn.uuid_v7_timestamp(id) as published_at,
       data as data_text, previous as previous_text, is_test
     from posthorn.events where id = $1`,
    [uuid],
  )
  for (const event of events) yield line('event', event)
  const { rows: deliveries } = await sql.query<{ uuid: string }>(
    `select id as uuid, posthorn.type_id('msg', id) as id, posthorn.type_id('evt', event_id) as event_id,
       posthorn.type_id('wh', webhook_id) as webhook_id, state, attempt_count, finished_at, last_error
     from posthorn.deliveries where event_id = $1 and id >= $2 order by deliveries.id`,
    [uuid, firstDeliveryOf([uuid])],
  )
  for (const { uuid: deliveryUuid, ...delivery } of deliveries) {
    yield line('delivery', delivery)
    const { rows: attempts } = await sql.query<{ response_body: Buffer | null }>(
      `select posthorn.type_id('att', id) as id, posthorn.type_id('msg', delivery_id) as delivery_id, number, started_at,
         succeeded, status, error, request_url, response_headers, response_body, response_body_truncated
       from posthorn.attempts where delivery_id = $1 and attempts.id >= $2 order by number`,
      [deliveryUuid, firstDeliveryOf([deliveryUuid])],
    )
    for (const { response_body: body, ...attempt } of attempts) {
      yield line('attempt', { ...attempt, ...bodyFields(body) })
    }
  }
}

function bodyFields(body: Buffer | null) {
  if (body === null) return { response_body: null }
  return isUtf8(body)
    ? { response_body: body.toString('utf8') }
    : { response_body_base64: body.toString('base64') }
}

async function* auditLines(
  sql: Sql,
  organizationUuid: string,
  value: string,
): AsyncGenerator<string> {
  const hasValue = hasText(value)
  let reachedId = FIRST_ID
  for (;;) {
    const { rows } = await sql.query<{ uuid: string; before: object | null; after: object | null }>(
      `select id as uuid, posthorn.type_id('aud', id) as id, posthorn.uuid_v7_timestamp(id) as at, action, subject_id, before,
         after
       from posthorn.audit_log where organization_id = $1 and id > $2 order by audit_log.id limit 500`,
      [organizationUuid, reachedId],
    )
    for (const { uuid, ...entry } of rows) {
      const details = [entry.before, entry.after].map((one) => one && JSON.stringify(one))
      const isNamed = details.some((json) => redact(json, hasValue) !== json)
      if (isNamed) yield line('audit_entry', entry)
      reachedId = uuid
    }
    if (rows.length === 0) return
  }
}

function line(kind: string, fields: object): string {
  return `${JSON.stringify({ kind, ...fields })}\n`
}
