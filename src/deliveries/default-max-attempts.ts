import type { Sql } from '../db/client.ts'

/** Sets, for publishing in SQL, how many attempts a delivery has by the retry schedule of the processes. */
export async function setDefaultMaxAttempts(sql: Sql, maxAttempts: number): Promise<void> {
  await sql.query(
    'update posthorn.settings set default_max_attempts = $1 where default_max_attempts <> $1',
    [maxAttempts],
  )
}
