import type { Sql } from './client.ts'

/** Runs a statement that selects one column `id`, and returns the set of its values. */
export async function selectIds(
  sql: Sql,
  statement: string,
  values: readonly unknown[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql.query<{ id: string }>(statement, [...values])
  return new Set(rows.map(({ id }) => id))
}
