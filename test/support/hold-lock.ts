import type pg from 'pg'

/** A transaction of another program, which holds the locks of a statement until it is disposed of. */
export async function holdLock(
  pool: pg.Pool,
  statement: string,
  values: unknown[] = [],
): Promise<AsyncDisposable> {
  const client = await pool.connect()
  await client.query('begin')
  await client.query(statement, values)
  return {
    async [Symbol.asyncDispose]() {
      await client.query('rollback')
      client.release()
    },
  }
}
