import type { Sql } from '../../../../src/db/client.ts'

/**
 * The tables of the database with a row that has one of the texts in any column, in schema.table form: with partitions,
 * detached ones, and the tables of graphile-worker. Bytes are searched too.
 */
export async function findInTables(sql: Sql, texts: readonly string[]): Promise<string[]> {
  const { rows: tables } = await sql.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class as c
     where c.relkind = 'r' and c.relnamespace in ('posthorn'::regnamespace, 'posthorn_partitions'::regnamespace,
       'graphile_worker'::regnamespace)
     order by 1`,
  )
  const searched = texts.flatMap((text) => [text, Buffer.from(text).toString('hex')])
  const found: string[] = []
  for (const { name } of tables) {
    if (await hasAny(sql, name, searched)) found.push(name.replace(/^posthorn\./, ''))
  }
  return found.sort()
}

/** Maintenance may drop a partition after the list was read. */
async function hasAny(sql: Sql, table: string, texts: readonly string[]): Promise<boolean> {
  try {
    const { rows } = await sql.query<{ has: boolean }>(
      `select exists (
         select from ${table} as r, unnest($1::text[]) as text where strpos(r::text, text) > 0
       ) as has`,
      [texts],
    )
    return rows[0]?.has ?? false
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return false
    throw error
  }
}

const UNDEFINED_TABLE = '42P01'
