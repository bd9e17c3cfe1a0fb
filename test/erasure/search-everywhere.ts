import type { Sql } from '../../src/db/client.ts'
import { until } from '../support/until.ts'

/** The tables of all schemas that have a text in any column, also as bytes, and the statistics of Postgres. */
export async function tablesWith(sql: Sql, text: string): Promise<string[]> {
  const { rows } = await sql.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
     from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
     where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema')
         and n.nspname not like 'pg_toast%'
       or c.oid = 'pg_statistic'::regclass
     order by 1`,
  )
  const found: string[] = []
  for (const { name } of rows) {
    const hex = Buffer.from(text).toString('hex')
    const matches = await sql
      .query(
        `select from ${name} as row where position($1 in row::text) > 0 or position($2 in row::text) > 0 limit 1`,
        [text, hex],
      )
      .catch((error) => {
        // Maintenance may drop a partition after the list was read.
        if (error.code === UNDEFINED_TABLE) return { rowCount: 0 }
        throw error
      })
    if (matches.rowCount) found.push(name)
  }
  return found
}

/** The tables with a text in a row, those of Posthorn without their schema. */
export async function rowsWith(sql: Sql, text: string): Promise<string[]> {
  const found = (await tablesWith(sql, text)).filter((name) => name !== STATISTICS)
  return found.map((name) => name.replace(/^posthorn\./, '')).sort()
}

const UNDEFINED_TABLE = '42P01'

export const STATISTICS = 'pg_catalog.pg_statistic'

/**
 * The tables whose files have a text: rows, dead ones too, what is beside them (TOAST), and indexes. Needs a superuser. Reads
 * them after a checkpoint.
 */
async function filesWith(sql: Sql, text: string): Promise<string[]> {
  await sql.query('checkpoint')
  const { rows } = await sql.query<{ name: string }>(
    `select distinct coalesce(owner.relname, c.relname) as name
     from pg_class as c
     left join pg_index as i on i.indexrelid = c.oid
     left join pg_class as owner on owner.oid = i.indrelid or owner.reltoastrelid = c.oid
     where c.relkind in ('r', 'i', 't', 'm') and pg_relation_filepath(c.oid) is not null
       and (c.relnamespace <> 'pg_catalog'::regnamespace or coalesce(owner.relname, c.relname) = 'pg_statistic')
       and position(convert_to($1, 'UTF8') in coalesce(pg_read_binary_file(pg_relation_filepath(c.oid), true), '')) > 0
     order by 1`,
    [text],
  )
  return rows.map(({ name }) => name)
}

/**
 * The same, after the tables of the database are rewritten. A rewrite keeps the dead rows that an older transaction may
 * still read, such as an analysis by autovacuum, so it is repeated until such a transaction would have ended.
 */
export async function filesAfterVacuum(sql: Sql, text: string): Promise<string[]> {
  let found: string[] = []
  const areClean = async () => {
    await sql.query('vacuum full')
    found = await filesWith(sql, text)
    return found.length === 0
  }
  // What is left then is for the caller to judge.
  await until(areClean, 'no file has the text').catch(() => undefined)
  return found
}
