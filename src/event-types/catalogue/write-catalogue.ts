import type { Actor } from '../../auth/access/actor.ts'
import type { AuditAction } from '../../auth/audit/audit-entry.ts'
import { type AuditEntry as Entry, writeAuditEntries } from '../../auth/audit/audit-entry.ts'
import type { Sql } from '../../db/client.ts'
import { DomainError } from '../../lib/errors.ts'
import { pagesOf } from '../../lib/pages-of.ts'
import type { CatalogueField, CatalogueType } from './catalogue-type.ts'
import { parsed, type TypeChange } from './check-catalogue.ts'

/** Writes the changes with their audit entries. Texts of schemas and examples are written to the letter. */
export async function writeCatalogue(
  sql: Sql,
  actor: Actor,
  changes: readonly TypeChange[],
): Promise<void> {
  for (const page of pagesOf(changes.filter(({ before }) => before === null))) {
    const { rowCount } = await sql.query(INSERT, columnsOf(page))
    if (rowCount !== page.length) throw changedMeanwhile()
  }
  for (const page of pagesOf(changes.filter(({ before }) => before !== null))) {
    await sql.query(UPDATE, columnsOf(page))
  }
  await writeAuditEntries(sql, actor, changes.flatMap(entriesOf))
}

/** The given types, each as a row of the table. */
const GIVEN = `
  select name, description, group_name, array(select json_array_elements_text(keys::json)) as search_keys,
    schema::json as schema, example::json as example, case when archived then now() end as archived_at, entries
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::int[])
    as given (name, description, group_name, keys, schema, example, archived, entries)`

const INSERT = `
  insert into posthorn.event_types (name, description, group_name, search_keys, schema, example, archived_at)
  select name, description, group_name, search_keys, schema, example, archived_at from (${GIVEN}) as new
  on conflict do nothing`

/** Each audit entry has a revision of its own. */
const UPDATE = `
  update posthorn.event_types as t
  set description = new.description, group_name = new.group_name, search_keys = new.search_keys,
    schema = new.schema, example = new.example,
    archived_at = case when new.archived_at is not null then coalesce(t.archived_at, now()) end,
    revision = t.revision + new.entries, updated_at = now()
  from (${GIVEN}) as new
  where t.name = new.name`

function columnsOf(changes: readonly TypeChange[]): unknown[] {
  const types = changes.map(({ after }) => after)
  return [
    types.map(({ name }) => name),
    types.map(({ description }) => description),
    types.map(({ group }) => group),
    types.map(({ searchKeys }) => JSON.stringify(searchKeys)),
    types.map(({ schema }) => schema),
    types.map(({ example }) => example),
    types.map(({ archived }) => archived),
    changes.map((change) => entriesOf(change).length),
  ]
}

/** The entries that the same changes by the API would have written. */
function entriesOf({ name, fields, before, after }: TypeChange): Entry[] {
  const subject = { organizationId: null, subjectId: name }
  const action = (kind: AuditAction): Entry => ({ action: kind, ...subject })
  if (before === null) {
    const created = { ...action('event_type.created'), after: audited(after, AUDITED) }
    return after.archived ? [created, action('event_type.archived')] : [created]
  }
  const changed = AUDITED.filter((field) => fields.includes(field))
  const updated = {
    ...action('event_type.updated'),
    before: audited(before, changed),
    after: audited(after, changed),
  }
  const archiving = action(after.archived ? 'event_type.archived' : 'event_type.unarchived')
  return [
    ...(changed.length > 0 ? [updated] : []),
    ...(fields.includes('archived') ? [archiving] : []),
  ]
}

const AUDITED = ['description', 'schema', 'example', 'searchKeys', 'group'] as const

function audited(type: CatalogueType, fields: readonly CatalogueField[]): object {
  return Object.fromEntries(
    fields.map((field) => {
      const isText = field === 'schema' || field === 'example'
      return [field, isText ? parsed(type[field]) : type[field]]
    }),
  )
}

export function changedMeanwhile(): DomainError {
  return new DomainError(
    'conflict',
    'Somebody changed the catalogue during the import. Nothing was changed; import again.',
  )
}
