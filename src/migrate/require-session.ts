import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type pg from 'pg'

/** A notification takes milliseconds; on the busiest machine a fraction of a second. */
const NOTIFICATION_TIMEOUT_MS = 5_000

/** Where the URL of the direct connection comes from. */
export type UrlSetting = 'DATABASE_URL' | 'POSTHORN_DIRECT_DATABASE_URL'

const NEEDS =
  'Posthorn uses LISTEN, advisory locks and prepared statements, so it needs connections with a session of their own.'
const HOSTED =
  'Hosted Postgres often shows the address of a transaction pooler first; the direct one has another host name or port.'

function remedyFor(urlSetting: UrlSetting): string {
  return urlSetting === 'DATABASE_URL'
    ? `${NEEDS} Set POSTHORN_DIRECT_DATABASE_URL to the direct connection to Postgres; the requests of the API then use the pooler. Or set DATABASE_URL to the direct connection, or to a pooler in session mode. ${HOSTED}`
    : `${NEEDS} Set it to the direct connection to Postgres, or to a pooler in session mode. ${HOSTED}`
}

/** Throws if connections go through a transaction pooler, such as PgBouncer with pool_mode=transaction. */
export async function requireSession(pool: pg.Pool, urlSetting: UrlSetting): Promise<void> {
  const one = await connect(pool, urlSetting)
  try {
    const other = await connect(pool, urlSetting)
    try {
      if (!(await isNotified(one, other))) {
        throw new Error(
          `${urlSetting} leads through a transaction pooler. ${remedyFor(urlSetting)}`,
        )
      }
    } finally {
      other.release()
    }
  } finally {
    one.release()
  }
}

/** A pooler may reject the connection parameter `options` with a protocol violation. */
async function connect(pool: pg.Pool, urlSetting: UrlSetting): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    if ((error as { code?: string }).code !== PROTOCOL_VIOLATION) throw error
    throw new Error(
      `${urlSetting} leads to a pooler that rejects the connection (${(error as Error).message}). ${remedyFor(urlSetting)}`,
      { cause: error },
    )
  }
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const PROTOCOL_VIOLATION = '08P01'

/** Through a transaction pooler, an idle client gets no notification. */
async function isNotified(listener: pg.PoolClient, notifier: pg.PoolClient): Promise<boolean> {
  const channel = `posthorn_preflight_${randomBytes(8).toString('hex')}`
  const signal = AbortSignal.timeout(NOTIFICATION_TIMEOUT_MS)
  const notified = once(listener, 'notification', { signal }).then(
    () => true,
    () => false,
  )
  await listener.query(`listen ${channel}`)
  await notifier.query(`notify ${channel}`)
  const isReceived = await notified
  await listener.query(`unlisten ${channel}`)
  return isReceived
}

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
