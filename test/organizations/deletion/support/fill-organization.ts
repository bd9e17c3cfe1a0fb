import type { Sql } from '../../../../src/db/client.ts'
import { ORGANIZATION_TABLES } from '../../../../src/organizations/deletion/delete-rows.ts'

/** Tables whose rows Postgres deletes with those of another table, by foreign keys. */
export const TABLES_OF_PARENTS: Readonly<Record<string, string>> = {
  consumer_leases: 'event_consumers',
  exhausted_deliveries: 'webhooks',
  alert_mails: 'alert_addresses',
  reported_states: 'webhooks',
  sessions: 'api_keys',
  sign_in_links: 'api_keys',
  signing_secrets: 'webhooks',
  webhook_conditions: 'webhooks',
  webhook_holds: 'webhooks',
  webhook_schedules: 'webhooks',
}

/** Tables without rows of one organization. */
export const OTHER_TABLES: Readonly<Record<string, string>> = {
  cursors: 'how far tasks for all organizations have come',
  event_type_versions: 'the catalogue of all organizations',
  event_types: 'the catalogue of all organizations',
  organizations: 'the row of the organization is deleted at the end',
  settings: 'of the installation; the deletion clears the organization of the operators',
  workers: 'the processes of the installation',
}

interface Column {
  readonly name: string
  readonly type: string
  readonly kind: 'array' | 'enum' | 'other'
  readonly parent: string | null
}

/** Rows that break rules which a filled row need not keep, such as the names of states. */
export async function dropChecks(sql: Sql): Promise<void> {
  const { rows } = await sql.query<{ statement: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as statement
     from pg_constraint where contype = 'c' and conrelid <> 0 and conparentid = 0 and coninhcount = 0
       and connamespace in ('posthorn'::regnamespace, 'posthorn_partitions'::regnamespace)`,
  )
  for (const { statement } of rows) await sql.query(statement)
}

/**
 * Adds a row of the organization to each table that can have one, also to tables that a later change adds. Each column of
 * text, bytes or JSON has the marker.
 */
export async function fillOrganization(
  sql: Sql,
  organizationUuid: string,
  marker: string,
): Promise<void> {
  const ids = new Map([['organizations', organizationUuid]])
  const parents = Object.values(TABLES_OF_PARENTS)
  const tables = [
    ...new Set(['webhooks', 'api_keys', ...parents, ...Object.keys(ORGANIZATION_TABLES)]),
    ...Object.keys(TABLES_OF_PARENTS),
  ]
  for (const table of tables) {
    const columns = await columnsOf(sql, table)
    const values = columns.map((column) => sqlValue(column, organizationUuid, marker, ids))
    const { rows } = await sql.query<{ row: { id?: string } }>(
      `insert into posthorn.${table} as r (${columns.map(({ name }) => name).join(', ')})
       values (${values.join(', ')}) returning to_jsonb(r) as row`,
    )
    const id = rows[0]?.row.id
    if (id !== undefined) ids.set(table, id)
  }
}

function sqlValue(
  { name, type, kind, parent }: Column,
  organizationUuid: string,
  marker: string,
  ids: ReadonlyMap<string, string>,
): string {
  if (name === 'organization_id') return `'${organizationUuid}'`
  if (parent !== null && ids.has(parent)) return `'${ids.get(parent)}'`
  if (name === 'granted_by') return 'null'
  if (kind === 'enum') return `(enum_range(null::posthorn.${type}))[1]`
  if (kind === 'array') return type === 'text[]' ? `array['${marker}']` : "'{}'"
  if (name === 'filter_path') return 'null'
  const values: Record<string, string> = {
    uuid: 'posthorn.uuid_v7()',
    text: `'${marker}'`,
    bytea: `convert_to('${marker}' || gen_random_uuid(), 'UTF8')`,
    json: `jsonb_build_object('marker', '${marker}')`,
    jsonb: `jsonb_build_object('marker', '${marker}')`,
    'timestamp with time zone': 'now()',
    boolean: 'false',
    jsonpath: "'$'",
  }
  return values[type] ?? '1'
}

async function columnsOf(sql: Sql, table: string): Promise<Column[]> {
  const { rows } = await sql.query<Column>(
    `select a.attname as name, regexp_replace(format_type(a.atttypid, null), '^posthorn[.]', '') as type,
       case when t.typcategory = 'A' then 'array' when t.typtype = 'e' then 'enum' else 'other' end as kind,
       (select p.relname from pg_constraint as k join pg_class as p on p.oid = k.confrelid
        where k.conrelid = a.attrelid and k.contype = 'f' and k.conkey = array[a.attnum] limit 1) as parent
     from pg_attribute as a join pg_type as t on t.oid = a.atttypid
     where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     order by a.attnum`,
    [`posthorn.${table}`],
  )
  return rows
}
