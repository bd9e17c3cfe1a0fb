import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type pg from 'pg'
import { findWorkerSchema, installedRevision, WORKER_REVISION } from '../../queue/worker-schema.ts'
import type { Sql } from '../client.ts'
import { findWrongSettings } from '../session-settings.ts'

export interface PreflightOptions {
  /** The schema of graphile-worker's tables; it need not exist yet. */
  readonly workerSchema: string
  /** Where the URL of the database comes from, for errors. */
  readonly urlSetting: UrlSetting
  /** Two connections to `urlSetting`. They set only what a transaction pooler restores for its other clients. */
  readonly probe: pg.Pool
  /** A connection through a transaction pooler for the same database; null without one. */
  readonly pooler: pg.Pool | null
}

/** Throws if Posthorn cannot run in the database, or if migrating would harm another program. Changes nothing. */
export async function preflight(pool: pg.Pool, options: PreflightOptions): Promise<void> {
  await requireSession(options.probe, options.urlSetting)
  if (options.pooler) await requireSettings(options.pooler)
  await requireSupportedServer(pool, options.urlSetting)
  await requireUsableWorkerSchema(pool, options.workerSchema)
}

/** A transaction pooler does not keep what a connection sets, except for a few settings. */
async function requireSettings(pooler: pg.Pool): Promise<void> {
  const wrong = await findWrongSettings(pooler)
  if (wrong.length === 0) return
  const found = wrong.map(({ name, actual }) => `${name} = ${JSON.stringify(actual)}`)
  const remedies = wrong.map(({ remedy }) => `${remedy};`)
  throw new Error(
    `Posthorn cannot work with these settings of the connections through the pooler, and cannot change them there: ${found.join(', ')}. Run as a superuser, then reconnect the pooler's connections (\`reconnect\` in PgBouncer's console): ${remedies.join(' ')}`,
  )
}

async function requireSupportedServer(sql: Sql, urlSetting: UrlSetting): Promise<void> {
  const { rows } = await sql.query<{ version: number; encoding: string }>(
    `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`,
  )
  const { version, encoding } = rows[0] as (typeof rows)[0]
  if (version < 150_000) {
    throw new Error(
      `Posthorn needs PostgreSQL 15 or newer; this server is ${Math.floor(version / 10_000)}. Upgrade it, or set ${urlSetting} to a newer one.`,
    )
  }
  if (encoding !== 'UTF8') {
    throw new Error(
      `Posthorn needs a database encoded in UTF8; this one is ${encoding}. Create one with \`create database posthorn encoding 'UTF8' template template0\`, and set ${urlSetting} to it.`,
    )
  }
}

async function requireUsableWorkerSchema(sql: Sql, workerSchema: string): Promise<void> {
  const { isEmpty, isCreatedByPosthorn } = await findWorkerSchema(sql, workerSchema)
  if (isEmpty) return
  const revision = await installedRevision(sql, workerSchema)
  if (revision === null) {
    throw new Error(
      `The schema ${workerSchema} is not empty and has no graphile-worker tables. ${OWN_SCHEMA}`,
    )
  }
  const found = `The schema ${workerSchema} has graphile-worker at revision ${revision}, but this version of Posthorn runs revision ${WORKER_REVISION}.`
  if (revision > WORKER_REVISION) {
    const remedy = isCreatedByPosthorn
      ? 'Run the version of Posthorn that migrated it.'
      : OWN_SCHEMA
    throw new Error(`${found} ${remedy}`)
  }
  if (revision < WORKER_REVISION && !isCreatedByPosthorn) {
    throw new Error(
      `${found} Another program created the schema, and its workers would stop if Posthorn migrated it. ${OWN_SCHEMA}`,
    )
  }
}

const OWN_SCHEMA =
  "Set POSTHORN_WORKER_SCHEMA to a schema of Posthorn's own, such as posthorn_worker; Posthorn creates it."

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
async function requireSession(pool: pg.Pool, urlSetting: UrlSetting): Promise<void> {
  const listener = await pool.connect()
  try {
    if (await isNotified(listener, pool)) return
    throw new Error(`${urlSetting} leads through a transaction pooler. ${remedyFor(urlSetting)}`)
  } finally {
    listener.release()
  }
}

/** Through a transaction pooler, an idle client gets no notification. */
async function isNotified(listener: pg.PoolClient, notifier: pg.Pool): Promise<boolean> {
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
