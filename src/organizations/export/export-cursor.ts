import { z } from 'zod'
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
export function parseCursor(cursor: string, tables: readonly ExportedTable[]): ExportCursor {
  const [table, key] = readCursor(cursor)
  const known = tables.find(({ name }) => name === table)
  if (known === undefined || key.length !== known.key.length) throw notACursor()
  return { table, key }
}

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
