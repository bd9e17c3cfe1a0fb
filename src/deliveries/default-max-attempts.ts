import type { Sql } from '../db/client.ts'

/** Stores the attempts of the process's retry schedule, which publishing in SQL gives to each new delivery. */
export async function setDefaultMaxAttempts(sql: Sql, maxAttempts: number): Promise<void> {
  await sql.query(
    'update posthorn.settings set default_max_attempts = $1 where default_max_attempts <> $1',
    [maxAttempts],
  )
}
