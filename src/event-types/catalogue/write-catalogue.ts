import type { Actor } from '../../auth/access/actor.ts'
import { type AuditAction, type AuditEntry, actorJson } from '../../auth/audit/audit-entry.ts'
import type { Db } from '../../db/client.ts'
import { pagesOf } from '../../lib/pages-of.ts'
import { type CatalogueType, COMPARED_FIELDS, type ComparedField } from './catalogue-type.ts'
import { parsed, type TypeChange } from './check-catalogue.ts'

/**
 * Writes the changes with their audit entries. Texts of schemas and examples are written to the letter. Returns false if
 * an added event type exists.
 */
export async function writeCatalogue(
  tx: Db,
  actor: Actor,
  changes: readonly TypeChange[],
): Promise<boolean> {
  const { true: added = [], false: changed = [] } = Object.groupBy(changes, ({ before }) =>
    before === null ? 'true' : 'false',
  )
  for (const page of pagesOf(added)) {
    if ((await tx.$executeRawUnsafe(INSERT, rowsOf(page))) !== page.length) return false
  }
  for (const page of pagesOf(changed)) await tx.$executeRawUnsafe(UPDATE, rowsOf(page))
  for (const page of pagesOf(changes.flatMap(entriesOf))) {
    await tx.$executeRaw`
      select posthorn.write_audit_entry(${actorJson(actor)}::jsonb, null, action, "subjectId", before, after)
      from json_to_recordset(${JSON.stringify(page)}::json)
        as entry (action text, "subjectId" text, before jsonb, after jsonb)`
  }
  return true
}

const COLUMNS =
  'name, description, group_name, search_keys, retention_days, schema, example, archived_at'

/** The given types, each as a row of the table. */
const GIVEN = `
  select name, description, "group" as group_name, "searchKeys" as search_keys, "retentionDays" as retention_days,
    schema::json as schema, example::json as example, case when archived then now() end as archived_at, entries
  from json_to_recordset($1::json) as given (name text, description text, "group" text, "searchKeys" text[],
    "retentionDays" int, schema text, example text, archived boolean, entries int)`

const INSERT = `
  insert into posthorn.event_types (${COLUMNS}) select ${COLUMNS} from (${GIVEN}) as new on conflict do nothing`

/** Each audit entry has a revision of its own. */
const UPDATE = `
  update posthorn.event_types as t
  set description = new.description, group_name = new.group_name, search_keys = new.search_keys,
    retention_days = new.retention_days, schema = new.schema, example = new.example,
    archived_at = case when new.archived_at is not null then coalesce(t.archived_at, now()) end,
    revision = t.revision + new.entries, updated_at = now()
  from (${GIVEN}) as new
  where t.name = new.name`

function rowsOf(changes: readonly TypeChange[]): string {
  return JSON.stringify(
    changes.map((change) => ({ ...change.after, entries: entriesOf(change).length })),
  )
}

function entriesOf({ name, fields, before, after }: TypeChange): AuditEntry[] {
  const action = (kind: AuditAction): AuditEntry => ({
    action: kind,
    organizationId: null,
    subjectId: name,
  })
  const edited = (before === null ? COMPARED_FIELDS : fields).filter(
    (field) => field !== 'archived',
  )
  const isArchived = before?.archived ?? false
  const edit = action(before === null ? 'event_type.created' : 'event_type.updated')
  return [
    ...(edited.length > 0
      ? [{ ...edit, before: before && audited(before, edited), after: audited(after, edited) }]
      : []),
    ...(after.archived === isArchived
      ? []
      : [action(after.archived ? 'event_type.archived' : 'event_type.unarchived')]),
  ]
}

function audited(type: CatalogueType, fields: readonly ComparedField[]): object {
  return Object.fromEntries(
    fields.map((field) => {
      const isText = field === 'schema' || field === 'example'
      return [field, isText ? parsed(type[field]) : type[field]]
    }),
  )
}
