import { z } from 'zod'
import type { Sql } from '../../db/client.ts'
import { fieldIssue, invalid } from '../../lib/errors.ts'
import type { ExportedTable } from './describe-tables.ts'

/** The place of a row in an export. */
export interface ExportCursor {
  readonly table: string
  readonly key: readonly string[]
}

const cursorRule = z.tuple([z.string(), z.array(z.string())])

export function printCursor(table: string, key: readonly string[]): string {
  return Buffer.from(JSON.stringify([table, key])).toString('base64url')
}

/** Throws `invalid` for anything that no export has printed. */
export async function parseCursor(
  sql: Sql,
  cursor: string,
  tables: readonly ExportedTable[],
): Promise<ExportCursor> {
  const [table, key] = readCursor(cursor)
  const known = tables.find(({ name }) => name === table)
  if (known === undefined || key.length !== known.key.length) throw notACursor()
  const values = known.key.map(({ type }, i) => `($1::text[])[${i + 1}]::${type}`)
  try {
    await sql.query(`select ${values.join(', ')}`, [key])
  } catch (error) {
    if (IS_DATA_EXCEPTION.test((error as { code?: string }).code ?? '')) throw notACursor()
    throw error
  }
  return { table, key }
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: a text that is no value of its type. */
const IS_DATA_EXCEPTION = /^22/

function readCursor(cursor: string): z.output<typeof cursorRule> {
  try {
    return cursorRule.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch {
    throw notACursor()
  }
}

function notACursor() {
  return invalid([
    fieldIssue(
      ['after'],
      'invalid_argument',
      'must be the cursor of a line of an earlier export of the organization.',
    ),
  ])
}
