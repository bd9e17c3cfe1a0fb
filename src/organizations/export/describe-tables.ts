import type { Sql } from '../../db/client.ts'
import { ORGANIZATION_TABLES, TABLES_OF_PARENTS } from '../deletion/organization-tables.ts'

/** How the rows of an organization in a table are selected and ordered. */
export interface ExportedTable {
  readonly name: string
  /** SQL: the condition on the row `r` for the organization $1. */
  readonly condition: string
  /** The columns that order the rows, with their types. */
  readonly key: readonly { readonly name: string; readonly type: string }[]
  readonly bytes: readonly string[]
}

/** Kept for the processes, and without content. */
const OF_PROCESSES = ['live_listeners', 'rate_limits']

interface Row {
  readonly name: string
  readonly primaryKey: readonly string[]
  readonly types: Readonly<Record<string, string>>
  readonly parents: Readonly<Record<string, string>>
}

/** The tables in the order of an export: the organization, what was set, and then what happened. */
export async function describeTables(sql: Sql): Promise<readonly ExportedTable[]> {
  const names = [
    ...Object.keys(ORGANIZATION_TABLES).toReversed(),
    ...Object.keys(TABLES_OF_PARENTS),
  ].filter((name) => !OF_PROCESSES.includes(name))
  const { rows } = await sql.query<Row>({
    name: 'describe_tables_of_organization',
    text: DESCRIBE,
    values: [names],
  })
  const byName = new Map(rows.map((row) => [row.name, row]))
  return [ORGANIZATION, ...names.flatMap((name) => describe(byName.get(name)))]
}

const ORGANIZATION: ExportedTable = {
  name: 'organizations',
  condition: 'r.id = $1',
  key: [{ name: 'id', type: 'uuid' }],
  bytes: [],
}

function describe(row: Row | undefined): ExportedTable[] {
  if (!row) return []
  const { name, types, primaryKey, parents } = row
  const parent = TABLES_OF_PARENTS[name]
  const columns: readonly string[] = parent
    ? primaryKey
    : ORGANIZATION_TABLES[name as keyof typeof ORGANIZATION_TABLES]
  const condition = parent
    ? `r.${parents[parent]} in (select p.id from posthorn.${parent} as p where p.organization_id = $1)`
    : 'r.organization_id = $1'
  return [
    {
      name,
      condition,
      key: uniqueKey(columns, primaryKey).map((column) => ({
        name: column,
        type: types[column] ?? 'text',
      })),
      bytes: Object.keys(types).filter((column) => types[column] === 'bytea'),
    },
  ]
}

/** Several rows may have the same columns of a page of a deletion; a page of an export must begin behind one row. */
function uniqueKey(columns: readonly string[], primaryKey: readonly string[]): readonly string[] {
  const rest = primaryKey.filter((column) => !columns.includes(column))
  return [...columns, ...rest].filter((column) => column !== 'organization_id')
}

const DESCRIBE = `
  select c.relname as name,
    (select array_agg(a.attname::text order by k.i) from pg_index as x, unnest(x.indkey) with ordinality as k (attnum, i)
      join pg_attribute as a on a.attnum = k.attnum
      where x.indrelid = c.oid and x.indisprimary and a.attrelid = c.oid) as "primaryKey",
    (select json_object_agg(a.attname, format_type(a.atttypid, null)) from pg_attribute as a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as types,
    (select coalesce(json_object_agg(p.relname, a.attname), '{}') from pg_constraint as f
      join pg_class as p on p.oid = f.confrelid
      join pg_attribute as a on a.attrelid = c.oid and a.attnum = f.conkey[1]
      where f.conrelid = c.oid and f.contype = 'f') as parents
  from pg_class as c where c.relnamespace = 'posthorn'::regnamespace and c.relname = any ($1)`
