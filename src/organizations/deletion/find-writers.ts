import type { Sql } from '../../db/client.ts'

/**
 * The other transactions of the database that are open. One of them may have checked the organization before its deletion
 * was committed, and write rows of it until it ends. Each transaction holds a lock of its own virtual id
 * (https://www.postgresql.org/docs/current/view-pg-locks.html); one that is prepared for two-phase commit has none any more,
 * and counts by its transaction id.
 */
export async function findOpenTransactions(sql: Sql): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(`
    select virtualxid as id from pg_locks as l join pg_stat_activity as a using (pid)
    where l.locktype = 'virtualxid' and l.granted and l.mode = 'ExclusiveLock' and pid <> pg_backend_pid()
      and a.datname = current_database()
    union all
    select 'prepared ' || transaction::text from pg_prepared_xacts where database = current_database()`)
  return rows.map(({ id }) => id)
}

/** Those of the transactions that are still open. One that was prepared in the meantime is. */
export async function findStillOpen(sql: Sql, known: readonly string[]): Promise<string[]> {
  if (known.length === 0) return []
  const open = await findOpenTransactions(sql)
  return open.filter((id) => known.includes(id) || id.startsWith('prepared '))
}

/** Those of the jobs with these keys that run. One that a rescue adds again finds no delivery, and writes nothing. */
export async function findRunningJobs(
  sql: Sql,
  workerSchema: string,
  keys: readonly string[],
): Promise<string[]> {
  if (keys.length === 0) return []
  const { rows } = await sql.query<{ key: string }>(
    `select key from ${workerSchema}.jobs where key = any ($1::text[]) and locked_at is not null`,
    [keys],
  )
  return rows.map(({ key }) => key)
}
