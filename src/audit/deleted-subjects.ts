import type { Sql } from '../db/client.ts'

/** Whether each entry is about a webhook that was deleted, in the order of the uuids of the entries. */
export async function findDeletedSubjects(
  sql: Sql,
  entryUuids: readonly string[],
): Promise<boolean[]> {
  const { rows } = await sql.query<{ deleted: boolean }>({
    name: 'find_deleted_subjects',
    text: FIND_DELETED_SUBJECTS,
    values: [entryUuids],
  })
  return rows.map(({ deleted }) => deleted)
}

/** Reads both tables by their primary keys. */
const FIND_DELETED_SUBJECTS = `
  select webhook.id is not null as deleted
  from unnest($1::uuid[]) with ordinality as given (id, n)
  left join posthorn.audit_log as entry using (id)
  left join posthorn.webhooks as webhook
    on webhook.id = posthorn.parse_type_id('wh', entry.subject_id)
    and webhook.organization_id = entry.organization_id
    and webhook.deleted_at is not null
  order by n`
