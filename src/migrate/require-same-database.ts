import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { PROTOCOL_VIOLATION } from './require-session.ts'

/**
 * Throws if the pooler does not lead to the database of the direct connection. An advisory lock is held per database of
 * a server, so in another one the same lock is free.
 */
export async function requireSameDatabase(direct: pg.Pool, pooler: pg.Pool): Promise<void> {
  const lock = randomBytes(8).readBigInt64BE().toString()
  const client = await direct.connect()
  try {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [lock])
    if (await isFree(pooler, lock)) throw new Error(OTHER_DATABASE)
  } finally {
    client.release(true)
  }
}

const OTHER_DATABASE =
  'DATABASE_URL and POSTHORN_DIRECT_DATABASE_URL lead to different databases. Set both to the same database of the same server, DATABASE_URL through the pooler; a replica is another server.'

/** In a transaction of several statements, which a pooler in statement mode rejects. */
async function isFree(pooler: pg.Pool, lock: string): Promise<boolean> {
  const client = await pooler.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query<{ isFree: boolean }>(
      'select pg_try_advisory_xact_lock($1) as "isFree"',
      [lock],
    )
    return rows[0]?.isFree === true
  } catch (error) {
    if ((error as { code?: string }).code !== PROTOCOL_VIOLATION) throw error
    throw new Error(
      `DATABASE_URL leads to a pooler that Posthorn cannot use (${(error as Error).message}). Set the pooler to pool_mode = transaction, or DATABASE_URL to another one.`,
    )
  } finally {
    client.release(true)
  }
}
