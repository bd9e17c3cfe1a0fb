import type { Pool } from 'pg'

/** Begins a transaction. What it has not committed at the end of its scope is undone. */
export async function openTransaction(pool: Pool) {
  const client = await pool.connect()
  await client.query('begin')
  return Object.assign(client, { [Symbol.dispose]: () => client.release(true) })
}
