import type { Sql } from '../db/client.ts'
import { type HasValue, redact } from './redact.ts'

/** The entries that a page reads. */
const PAGE_SIZE = 500

interface Entry {
  readonly id: string
  readonly before: string | null
  readonly after: string | null
}

export interface DetailsPage {
  readonly reachedId: string
  readonly last: boolean
  readonly auditEntries: number
}

/** Replaces a value in the details of the next audit entries of an organization. */
export async function eraseAuditDetails(
  sql: Sql,
  organizationUuid: string,
  hasValue: HasValue,
  reachedId: string,
): Promise<DetailsPage> {
  const { rows } = await sql.query<Entry>({
    name: 'audit_entries_to_erase',
    text: `
      select id, before::text, after::text from posthorn.audit_log where organization_id = $1 and id > $2
      order by id limit ${PAGE_SIZE}`,
    values: [organizationUuid, reachedId],
  })
  const changed = rows.flatMap(({ id, before, after }) => {
    const redacted = { id, before: redact(before, hasValue), after: redact(after, hasValue) }
    return redacted.before === before && redacted.after === after ? [] : [redacted]
  })
  if (changed.length > 0) {
    await sql.query(
      'select posthorn.redact_audit_entries($1, $2::uuid[], $3::text[]::jsonb[], $4::text[]::jsonb[])',
      [
        organizationUuid,
        changed.map(({ id }) => id),
        changed.map(({ before }) => before),
        changed.map(({ after }) => after),
      ],
    )
  }
  const last = rows.length < PAGE_SIZE
  return { reachedId: rows.at(-1)?.id ?? reachedId, last, auditEntries: changed.length }
}

/** Replaces a value in what the bulk tasks of an organization selected. Returns in how many. */
export async function eraseTaskDetails(
  sql: Sql,
  organizationUuid: string,
  hasValue: HasValue,
): Promise<number> {
  const { rows } = await sql.query<{ id: string; selection: string }>({
    name: 'bulk_tasks_to_erase',
    text: `
      select id, selection::text from posthorn.bulk_tasks
      where organization_id = $1 and selection ? 'filter' order by id for update`,
    values: [organizationUuid],
  })
  let count = 0
  for (const { id, selection } of rows) {
    const redacted = redact(selection, hasValue)
    if (redacted === selection) continue
    await sql.query('update posthorn.bulk_tasks set selection = $2 where id = $1', [id, redacted])
    count += 1
  }
  return count
}
