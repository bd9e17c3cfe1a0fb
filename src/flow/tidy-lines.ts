import type { Sql } from '../db/client.ts'

/** Forgets lines that are over, and finds those again that nobody looks at. Answers how many it found: hardly any. */
export async function tidyLines(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ found: number }>(
    'select posthorn.tidy_webhook_flows() as found',
  )
  return rows[0]?.found ?? 0
}
