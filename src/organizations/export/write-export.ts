import { pipeline } from 'node:stream/promises'
import type { Database, Sql } from '../../db/client.ts'
import { inTransaction } from '../../db/transaction.ts'
import { notFound } from '../../lib/errors.ts'
import { VERSION } from '../../lib/version.ts'
import { findOrganizationUuid } from '../find-organization.ts'
import { describeTables, type ExportedTable } from './exported-tables.ts'

/** The first line of an export. */
export interface Header {
  /** The version of Posthorn. */
  readonly posthorn: string
  /** The columns of each table, in the order of the rows. */
  readonly tables: Readonly<Record<string, readonly string[]>>
  /** The days that have partitions, such as 20260131. */
  readonly days: readonly string[]
  /** The last value of each sequence. */
  readonly sequences: Readonly<Record<string, string | null>>
}

/** Events have at most 256 KiB. */
const FETCHED_ROWS = 100

/**
 * Writes one organization, or all (null), as lines of JSON: a header, each row as `{"table":"…","row":{…}}`, and at the end
 * `{"rows":…}`. All are of one moment. Secrets stay encrypted. An organization is named by its id or uid. Throws `not_found`.
 */
export async function writeExport(
  pool: Database['pool'],
  organization: string | null,
  output: NodeJS.WritableStream,
): Promise<void> {
  await inTransaction(pool, async (sql) => {
    await sql.query('set transaction isolation level repeatable read, read only')
    await allowLongWork(sql)
    const uuid = organization === null ? null : await findOrganizationUuid(sql, organization)
    if (organization !== null && uuid === null) throw notFound('organization', organization)
    await pipeline(readLines(sql, uuid), output, { end: output !== process.stdout })
  })
}

/** An export takes as long as its reader, and an import as long as its file. */
export async function allowLongWork(sql: Sql): Promise<void> {
  await sql.query('set local statement_timeout = 0')
  await sql.query('set local idle_in_transaction_session_timeout = 0')
}

async function headerOf(sql: Sql, tables: readonly ExportedTable[]): Promise<Header> {
  const { rows } = await sql.query<Pick<Header, 'days' | 'sequences'>>(
    `select
       array(select distinct right(name, 8) from posthorn.partitions_before('infinity')
         where name not in (select posthorn.detached_partitions()) order by 1) as days,
       (select coalesce(json_object_agg(sequencename, last_value::text), '{}') from pg_sequences
         where schemaname = 'posthorn') as sequences`,
  )
  const [{ days, sequences } = { days: [], sequences: {} }] = rows
  return { posthorn: VERSION, tables: columnsOf(tables), days, sequences }
}

export function columnsOf(tables: readonly ExportedTable[]): Header['tables'] {
  return Object.fromEntries(tables.map(({ name, columns }) => [name, columns]))
}

async function* readLines(sql: Sql, organizationUuid: string | null): AsyncGenerator<string> {
  const tables = await describeTables(sql, organizationUuid === null ? 'all' : 'one')
  yield `${JSON.stringify(await headerOf(sql, tables))}\n`
  let rows = 0
  for (const table of tables) {
    for await (const line of readRows(sql, table, organizationUuid)) {
      rows += 1
      yield `${line}\n`
    }
  }
  yield `${JSON.stringify({ rows })}\n`
}

async function* readRows(
  sql: Sql,
  { name, columns, jsonColumns, primaryKey, ofOrganization }: ExportedTable,
  organizationUuid: string | null,
): AsyncGenerator<string> {
  const read = columns.map((column) =>
    jsonColumns.includes(column) ? `r.${column}::text` : `r.${column}`,
  )
  // A cursor takes no parameter. The uuid is one that `parseId` has read.
  const condition =
    organizationUuid === null ? 'true' : ofOrganization.replaceAll('$1', `'${organizationUuid}'`)
  await sql.query(
    `declare exported no scroll cursor for
     select '{"table":"${name}","row":' || row_to_json(line)::text || '}' as line from (
       select ${read.join(', ')} from posthorn.${name} as r where ${condition} order by ${primaryKey.join(', ')}
     ) as line`,
  )
  for (;;) {
    const { rows } = await sql.query<{ line: string }>(`fetch ${FETCHED_ROWS} from exported`)
    for (const { line } of rows) yield line
    if (rows.length < FETCHED_ROWS) break
  }
  await sql.query('close exported')
}
