import type pg from 'pg'
import type { Sql } from '../db/client.ts'
import { findWrongSettings } from '../db/session-settings.ts'
import { installedRevision, otherWorkerSchemas, WORKER_RELEASE } from '../queue/worker-revision.ts'
import { findWorkerSchema } from '../queue/worker-schema.ts'
import { requireSameDatabase, requireSession, type UrlSetting } from './require-session.ts'

export interface PreflightOptions {
  /** The schema of graphile-worker's tables; it need not exist yet. */
  readonly workerSchema: string
  /** Whether a migration of graphile-worker may stop the workers of other schemas. */
  readonly restartOtherWorkers: boolean
  /** Where the URL of the database comes from, for errors. */
  readonly urlSetting: UrlSetting
  /** Two connections to `urlSetting`. They set only what a transaction pooler restores for its other clients. */
  readonly probe: pg.Pool
  /** Connections through a transaction pooler, which must lead to the same database; null without one. */
  readonly pooler: pg.Pool | null
}

/** Throws if Posthorn cannot run in the database, or if migrating would harm other programs. Changes nothing. */
export async function preflight(pool: pg.Pool, options: PreflightOptions): Promise<void> {
  await requireSession(options.probe, options.urlSetting)
  if (options.pooler) {
    await requireSameDatabase(pool, options.pooler)
    await requireSettings(options.pooler)
  }
  await requireSupportedServer(pool, options.urlSetting)
  const revision = await requireUsableWorkerSchema(pool, options.workerSchema)
  await requireNoWorkersToStop(pool, options, revision)
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

/** Returns the revision of graphile-worker in the schema, or 0 if it is not installed. */
async function requireUsableWorkerSchema(sql: Sql, workerSchema: string): Promise<number> {
  const { isEmpty, isCreatedByPosthorn } = await findWorkerSchema(sql, workerSchema)
  if (isEmpty) return 0
  const revision = await installedRevision(sql, workerSchema)
  if (revision === null) {
    throw new Error(
      `The schema ${workerSchema} is not empty and has no graphile-worker tables. ${OWN_SCHEMA}`,
    )
  }
  const found = `The schema ${workerSchema} has graphile-worker at revision ${revision}, but this version of Posthorn runs revision ${WORKER_RELEASE.revision}.`
  if (revision > WORKER_RELEASE.revision) {
    const remedy = isCreatedByPosthorn
      ? 'Run the version of Posthorn that migrated it.'
      : OWN_SCHEMA
    throw new Error(`${found} ${remedy}`)
  }
  if (revision < WORKER_RELEASE.revision && !isCreatedByPosthorn) {
    throw new Error(
      `${found} Another program created the schema, and its workers would stop if Posthorn migrated it. ${OWN_SCHEMA}`,
    )
  }
  return revision
}

const OWN_SCHEMA =
  "Set POSTHORN_WORKER_SCHEMA to a schema of Posthorn's own, such as posthorn_worker; Posthorn creates it."

/** A breaking migration of graphile-worker notifies the workers of all schemas in the database, and they stop. */
async function requireNoWorkersToStop(
  sql: Sql,
  { workerSchema, restartOtherWorkers }: PreflightOptions,
  revision: number,
): Promise<void> {
  if (restartOtherWorkers || !WORKER_RELEASE.breaking.some((number) => number > revision)) return
  const others = await otherWorkerSchemas(sql, workerSchema)
  if (others.length === 0) return
  const action = revision === 0 ? 'installed' : 'migrated'
  throw new Error(
    `graphile-worker must be ${action} in the schema ${workerSchema}, which stops the workers of ${others.join(', ')} in this database. If these workers restart automatically, or none is running, run \`posthorn migrate --restart-other-workers\` (or \`posthorn start\` with that flag) once.`,
  )
}
