import type { Actor } from '../../access/actor.ts'
import { type Entry, writeAuditEntries } from '../../audit/write-audit-entries.ts'
import type { Sql } from '../../db/client.ts'
import { parseId } from '../../db/ids.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import { notFound } from '../../lib/errors.ts'
import { organizationExists } from '../find-organization.ts'
import { describeTables, type ExportedTable } from './describe-tables.ts'
import { type ExportCursor, parseCursor, printCursor } from './export-cursor.ts'
import { readableRow } from './readable-row.ts'

export interface ExportOptions {
  /** The cursor of the last line that the caller has. Null: from the beginning. */
  readonly after: string | null
  /** Whether signing secrets and the values of custom headers are exported too. */
  readonly secrets: boolean
}

export interface ExportDeps {
  readonly sql: Sql
  readonly keyring: Keyring
  /** For the audit log. */
  readonly actor: Actor
}

const PAGE_ROWS = 500
/** Payloads make pages large. */
const PAGE_ROWS_OF_CONTENTS = 50
const CONTENTS = ['events', 'attempts']

/**
 * All that is stored about an organization, as lines of JSON, table by table, in pages that hold no locks: a row that
 * changes meanwhile is exported as it was before or after. The API keys themselves are not stored. Throws `not_found`, or
 * `invalid` for a cursor that is none.
 */
export async function exportOrganization(
  { sql, keyring, actor }: ExportDeps,
  id: string,
  { after, secrets }: ExportOptions,
): Promise<AsyncIterable<string>> {
  const uuid = parseId('organization', id)
  if (!uuid || !(await organizationExists(sql, uuid))) throw notFound('organization', id)
  const tables = await describeTables(sql)
  const cursor = after === null ? null : await parseCursor(sql, after, tables)
  const entry: Entry = {
    action: 'organization.exported',
    organizationId: id,
    subjectId: id,
    after: { secrets, ...(after !== null && { resumed: true }) },
  }
  await writeAuditEntries(sql, actor, [entry])
  return readLines(sql, uuid, tables, cursor, secrets ? keyring : null)
}

async function* readLines(
  sql: Sql,
  organizationUuid: string,
  tables: readonly ExportedTable[],
  cursor: ExportCursor | null,
  keyring: Keyring | null,
): AsyncGenerator<string> {
  const begin = cursor ? tables.findIndex(({ name }) => name === cursor.table) : 0
  for (const table of tables.slice(begin)) {
    let key = table.name === cursor?.table ? cursor.key : null
    for (;;) {
      const page = await readPage(sql, organizationUuid, table, key)
      for (const { row, key: reached } of page) {
        const line = {
          table: table.name,
          row: readableRow(table, row, keyring),
          cursor: printCursor(table.name, reached),
        }
        yield `${JSON.stringify(line)}\n`
      }
      key = page.at(-1)?.key ?? key
      if (page.length < pageSize(table)) break
    }
  }
}

const pageSize = ({ name }: ExportedTable) =>
  CONTENTS.includes(name) ? PAGE_ROWS_OF_CONTENTS : PAGE_ROWS

interface ExportedRow {
  readonly row: Readonly<Record<string, unknown>>
  readonly key: readonly string[]
}

async function readPage(
  sql: Sql,
  organizationUuid: string,
  table: ExportedTable,
  after: readonly string[] | null,
): Promise<ExportedRow[]> {
  const columns = table.key.map(({ name }) => `r.${name}`)
  const values = table.key.map(({ type }, i) => `($2::text[])[${i + 1}]::${type}`)
  const { rows } = await sql.query<ExportedRow>(
    `select to_jsonb(r) as row, array[${columns.map((column) => `${column}::text`).join(', ')}] as key
     from posthorn.${table.name} as r
     where ${table.condition} and ($2::text[] is null or (${columns.join(', ')}) > (${values.join(', ')}))
     order by ${columns.join(', ')} limit ${pageSize(table)}`,
    [organizationUuid, after],
  )
  return rows
}
