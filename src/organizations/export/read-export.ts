import type { Keyring } from '../../auth/encryption/keyring.ts'
import { requireListedKeys } from '../../auth/encryption/stored-secrets.ts'
import type { Database, Sql } from '../../db/client.ts'
import { inTransaction } from '../../db/transaction.ts'
import { VERSION } from '../../lib/version.ts'
import { describeTables, type ExportedTable } from './exported-tables.ts'
import { allowLongWork, columnsOf, type Header } from './write-export.ts'

/** Rows that one statement inserts, and their bytes at most, but for one row. */
const BATCH_ROWS = 500
const BATCH_BYTES = 1024 * 1024

/**
 * Reads an export into an installation without organizations, in one transaction, and creates the jobs of what is not done.
 * Resolves to the number of rows. Throws, and changes nothing, if the installation has organizations, if the file is of
 * another version, has a line that cannot be read, or ends too early, and if the keyring lacks the key of its secrets.
 */
export async function readExport(
  pool: Database['pool'],
  keyring: Keyring,
  file: AsyncIterable<Uint8Array>,
): Promise<number> {
  return await inTransaction(pool, async (sql) => {
    await allowLongWork(sql)
    await requireEmpty(sql)
    const lines = splitLines(file)
    const header = parseHeader((await lines.next()).value)
    const tables = await tablesOf(sql, header)
    for (const day of header.days) await createPartitions(sql, day)
    const rows = await insertRows(sql, tables, lines)
    await requireListedKeys(sql, keyring)
    await createJobs(sql)
    // Last, as no rollback takes it back.
    await continueSequences(sql, header)
    return rows
  })
}

async function requireEmpty(sql: Sql): Promise<void> {
  await sql.query('lock table posthorn.organizations in share row exclusive mode')
  const { rowCount } = await sql.query('select from posthorn.organizations limit 1')
  if (rowCount === 0) return
  throw new Error(
    'The installation has organizations. Import into an empty one: a new database, in which nothing was created.',
  )
}

function parseHeader(line: string | undefined): Header {
  const { posthorn, tables, days, sequences } = Object(parseLine(line ?? '')) as Partial<Header>
  if (posthorn === undefined || !tables || !days || !sequences) {
    throw new Error('Line 1 is not the header of an export. Give a file of `posthorn export`.')
  }
  if (posthorn !== VERSION) {
    throw new Error(
      `The file is of Posthorn ${posthorn}, and this is Posthorn ${VERSION}. Import it with the version that wrote it, and upgrade afterwards.`,
    )
  }
  return { posthorn, tables, days, sequences }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

async function tablesOf(sql: Sql, { tables }: Header): Promise<Map<string, ExportedTable>> {
  const here = (await describeTables(sql, 'all')).filter(({ name }) => Object.hasOwn(tables, name))
  if (JSON.stringify(columnsOf(here)) !== JSON.stringify(tables)) {
    throw new Error(
      'The file has other tables or columns than this database. Import it with the build of Posthorn that wrote it.',
    )
  }
  return new Map(here.map((table) => [table.name, table]))
}

/** Of the past, so that no row has to move later. */
async function createPartitions(sql: Sql, day: string): Promise<void> {
  await sql.query(
    `select posthorn.create_partition(parent_name, day)
     from posthorn.missing_partitions(to_date($1, 'YYYYMMDD'), to_date($1, 'YYYYMMDD'))`,
    [day],
  )
}

async function insertRows(
  sql: Sql,
  tables: ReadonlyMap<string, ExportedTable>,
  lines: AsyncIterable<string>,
): Promise<number> {
  // Those of a fresh installation. Inserting a type also inserts a version, which the row of the file replaces.
  if (tables.has('event_types')) await sql.query('delete from posthorn.event_types')
  let [number, end, bytes] = [1, -1, 0]
  let batch: string[] = []
  let table: ExportedTable | undefined
  for await (const text of lines) {
    number += 1
    const line = Object(parseLine(text)) as { table?: string; row?: unknown; rows?: number }
    const found = tables.get(line.table ?? '')
    if (end !== -1 || (line.rows === undefined && (!found || Object(line.row) !== line.row))) {
      throw new Error(`Line ${number} is no row of an export. Nothing was imported.`)
    }
    if (table && (found !== table || batch.length === BATCH_ROWS || bytes > BATCH_BYTES)) {
      const where = `A row of ${table.name} before line ${number}`
      await insert(sql, table, batch).catch(({ message }: Error) => {
        throw new Error(`${where} cannot be imported: ${message}. Nothing was imported.`)
      })
      batch = []
      bytes = 0
    }
    end = line.rows ?? end
    table = found
    batch.push(text)
    bytes += text.length
  }
  if (end === number - 2) return end
  throw new Error(
    `The file ends after line ${number}, and is not complete. Export again. Nothing was imported.`,
  )
}

/** Replaces what a migrated database has: the row of the settings, cursors, and versions of event types. */
async function insert(
  sql: Sql,
  { name, columns, jsonColumns, primaryKey }: ExportedTable,
  lines: readonly string[],
): Promise<void> {
  const values = columns.map((column) =>
    jsonColumns.includes(column) ? `(line.row ->> '${column}')::json` : `filled.${column}`,
  )
  const replaced = columns.map((column) => `${column} = excluded.${column}`)
  await sql.query(
    `insert into posthorn.${name} (${columns.join(', ')})
     select ${values.join(', ')} from (
       select text::json -> 'row' as row from unnest($1::text[]) as text
     ) as line, json_populate_record(null::posthorn.${name}, line.row) as filled
     on conflict (${primaryKey.join(', ')}) do update set ${replaced.join(', ')}`,
    [lines],
  )
}

async function continueSequences(sql: Sql, { sequences }: Header): Promise<void> {
  await sql.query(
    `select setval(format('%I.%I', schemaname, sequencename)::regclass, given.value::bigint)
     from pg_sequences join json_each_text($1::json) as given (key, value) on given.key = sequencename
     where schemaname = 'posthorn' and given.value is not null`,
    [JSON.stringify(sequences)],
  )
}

/** The lines of a file in UTF-8, without their ends. Only a line feed ends a line: JSON may have other separators. */
async function* splitLines(file: AsyncIterable<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of file) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

const PAGE = 1_000

/** Those of deliveries. Workers add the others within a minute. */
async function createJobs(sql: Sql): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await sql.query<{ id: string }>(
      `select id from posthorn.deliveries
       where id > $1 and state = 'pending' and parked_at is null order by id limit ${PAGE}`,
      [after],
    )
    await sql.query('select posthorn.restore_delivery_jobs($1::uuid[])', [rows.map(({ id }) => id)])
    if (rows.length < PAGE) break
    after = rows.at(-1)?.id ?? after
  }
}
