import type { Sql } from '../../../../src/db/client.ts'
import { STATISTICS, tablesWith } from '../../../erasure/search-everywhere.ts'

/** The tables of the database with one of the texts in a row, those of Posthorn without their schema. */
export async function findInTables(sql: Sql, texts: readonly string[]): Promise<string[]> {
  const found = new Set<string>()
  for (const text of texts) {
    for (const name of await tablesWith(sql, text)) found.add(name.replace(/^posthorn\./, ''))
  }
  found.delete(STATISTICS)
  return [...found].sort()
}
