import type { Database, Db, Sql } from './client.ts'

/** Runs statements of plain SQL in one transaction. A connection whose transaction failed is closed. */
export async function inTransaction<T>(
  pool: Database['pool'],
  run: (sql: Sql) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await run(client)
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** Runs in the transaction `db`, or in a new one if `db` is a client. */
export async function joinTransaction<T>(db: Db, run: (tx: Db) => Promise<T>): Promise<T> {
  return '$transaction' in db ? await db.$transaction(run) : await run(db)
}
