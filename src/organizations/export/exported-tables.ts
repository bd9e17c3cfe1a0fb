import type { Sql } from '../../db/client.ts'

/** Tables that no export has. A test fails for a name that the database does not have. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  sessions: 'people sign in again',
  sign_in_links: 'people sign in again',
  workers: 'running processes',
}

/** Numbers of transactions, which mean nothing in another database. The new rows have the defaults. */
const LEFT_OUT_COLUMNS: readonly string[] = ['next_id', 'next_xid', 'started_xid']

/** It names the organization of the operators, so only an export of all has it. */
const ONLY_WITH_ALL = 'settings'

export interface ExportedTable {
  readonly name: string
  readonly columns: readonly string[]
  /** The columns whose text is kept as it is: JSON may have line breaks. */
  readonly jsonColumns: readonly string[]
  readonly primaryKey: readonly string[]
  /** SQL: the condition on the row `r` for the organization $1. */
  readonly ofOrganization: string
}

interface Described extends Omit<ExportedTable, 'ofOrganization'> {
  readonly isOwn: boolean
  readonly references: readonly Reference[]
}

interface Reference {
  readonly parent: string
  readonly column: string
  readonly key: string
}

/**
 * The tables of an export, each after those that it refers to. Throws if the role of the database URL is not their owner, as
 * row-level security hides rows from others.
 */
export async function describeTables(sql: Sql, of: 'all' | 'one'): Promise<ExportedTable[]> {
  const left = of === 'one' ? [...Object.keys(LEFT_OUT), ONLY_WITH_ALL] : Object.keys(LEFT_OUT)
  const { rows } = await sql.query<Described>(DESCRIBE, [left, LEFT_OUT_COLUMNS])
  const foreign = rows.find(({ isOwn }) => !isOwn)
  if (foreign) {
    throw new Error(
      `The role of DATABASE_URL does not own the table posthorn.${foreign.name}. Run this command as the owner of the tables.`,
    )
  }
  const byName = new Map(rows.map((row) => [row.name, row]))
  const tables = new Map<string, ExportedTable>()
  function add(table: Described): void {
    if (tables.has(table.name)) return
    for (const { parent } of table.references) {
      const found = byName.get(parent)
      if (found && found !== table) add(found)
    }
    const { name, columns, jsonColumns, primaryKey } = table
    const ofOrganization = conditionOf(table, byName)
    tables.set(name, { name, columns, jsonColumns, primaryKey, ofOrganization })
  }
  for (const table of rows) add(table)
  return [...tables.values()]
}

/** A row is of the organization if it says so, and if every row that it refers to is. */
function conditionOf(
  table: Described,
  byName: ReadonlyMap<string, Described>,
  row = 'r',
  depth = 0,
): string {
  if (table.name === 'organizations') return `${row}.id = $1`
  const own = table.columns.includes('organization_id') ? [`${row}.organization_id = $1`] : []
  const through = table.references.flatMap(({ parent, column, key }) => {
    const found = byName.get(parent)
    if (!found || parent === 'organizations' || (parent === table.name && depth > 0)) return []
    const of = `p${depth}`
    const condition = conditionOf(found, byName, of, depth + 1)
    return [
      `(${row}.${column} is null or ${row}.${column} in (
        select ${of}.${key} from posthorn.${parent} as ${of} where ${condition}))`,
    ]
  })
  return [...own, ...through].join(' and ') || 'true'
}

const DESCRIBE = `
  select c.relname::text as name, pg_has_role(c.relowner, 'usage') as "isOwn",
    array(select attname::text from pg_attribute
      where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' and attname <> all ($2)
      order by attnum) as columns,
    array(select attname::text from pg_attribute
      where attrelid = c.oid and attnum > 0 and not attisdropped and atttypid = 'json'::regtype) as "jsonColumns",
    array(select a.attname::text from pg_index as i, unnest(i.indkey) with ordinality as k (attnum, n)
      join pg_attribute as a on a.attnum = k.attnum
      where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid order by k.n) as "primaryKey",
    (select coalesce(json_agg(json_build_object('parent', p.relname, 'column', a.attname, 'key', k.attname)), '[]')
      from pg_constraint as f
      join pg_class as p on p.oid = f.confrelid
      join pg_attribute as a on a.attrelid = c.oid and a.attnum = f.conkey[1]
      join pg_attribute as k on k.attrelid = p.oid and k.attnum = f.confkey[1]
      where f.conrelid = c.oid and f.contype = 'f') as references
  from pg_class as c
  where c.relnamespace = 'posthorn'::regnamespace and c.relkind in ('r', 'p') and c.relname <> all ($1)
    -- Prisma's own.
    and c.relname !~ '^_'
  order by c.relname`
