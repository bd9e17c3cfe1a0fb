import type pg from 'pg'
import type { Sql } from '../db/client.ts'
import {
  installedRevision,
  otherWorkerSchemas,
  readWorkerRelease,
  type WorkerRelease,
} from '../queue/worker-revision.ts'
import { findWorkerSchema } from '../queue/worker-schema.ts'
import { requireSession } from './require-session.ts'

export interface PreflightOptions {
  /** Where graphile-worker's tables are, or are to be. */
  readonly workerSchema: string
  /** Whether workers of other schemas may be stopped by a migration of graphile-worker. */
  readonly restartOtherWorkers: boolean
}

/** Refuses a database that Posthorn cannot run in, or could not enter without harm to others. Changes nothing. */
export async function preflight(pool: pg.Pool, options: PreflightOptions): Promise<void> {
  await requireSession(pool)
  await requireSupportedServer(pool)
  const release = await readWorkerRelease()
  const revision = await requireUsableWorkerSchema(pool, options.workerSchema, release)
  await requireNoWorkersToStop(pool, options, release, revision)
}

async function requireSupportedServer(sql: Sql): Promise<void> {
  const { rows } = await sql.query<{ version: number; encoding: string }>(
    `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`,
  )
  const { version, encoding } = rows[0] as (typeof rows)[0]
  if (version < 150_000) {
    throw new Error(
      `Posthorn needs PostgreSQL 15 or newer; this server is ${Math.floor(version / 10_000)}. Upgrade it, or set DATABASE_URL to a newer one.`,
    )
  }
  if (encoding !== 'UTF8') {
    throw new Error(
      `Posthorn needs a database encoded in UTF8; this one is ${encoding}. Create one with \`create database posthorn encoding 'UTF8' template template0\`, and set DATABASE_URL to it.`,
    )
  }
}

/** Returns the revision of graphile-worker in the schema, 0 where it is to be installed. */
async function requireUsableWorkerSchema(
  sql: Sql,
  workerSchema: string,
  release: WorkerRelease,
): Promise<number> {
  const { isEmpty, isCreatedByPosthorn } = await findWorkerSchema(sql, workerSchema)
  if (isEmpty) return 0
  const revision = await installedRevision(sql, workerSchema)
  if (revision === null) {
    throw new Error(
      `The schema ${workerSchema} holds something else than graphile-worker's tables. ${OWN_SCHEMA}`,
    )
  }
  const found = `The schema ${workerSchema} holds graphile-worker at revision ${revision}, and this version of Posthorn runs revision ${release.revision}.`
  if (revision > release.revision) {
    const remedy = isCreatedByPosthorn
      ? 'Run the version of Posthorn that migrated it.'
      : OWN_SCHEMA
    throw new Error(`${found} ${remedy}`)
  }
  if (revision < release.revision && !isCreatedByPosthorn) {
    throw new Error(
      `${found} Another program made the schema, and its workers would stop if Posthorn migrated it. ${OWN_SCHEMA}`,
    )
  }
  return revision
}

const OWN_SCHEMA =
  "Set POSTHORN_WORKER_SCHEMA to a schema of Posthorn's own, such as posthorn_worker, which is made then."

/** graphile-worker announces a breaking migration on one channel for the whole database: every running worker stops. */
async function requireNoWorkersToStop(
  sql: Sql,
  { workerSchema, restartOtherWorkers }: PreflightOptions,
  { breaking }: WorkerRelease,
  revision: number,
): Promise<void> {
  if (restartOtherWorkers || !breaking.some((number) => number > revision)) return
  const others = await otherWorkerSchemas(sql, workerSchema)
  if (others.length === 0) return
  const what = revision === 0 ? 'installed' : 'migrated'
  throw new Error(
    `graphile-worker has to be ${what} in the schema ${workerSchema}, and it lives in ${others.join(', ')} of this database too: the workers there stop when that is announced. Where they are started again by themselves, or none runs at the moment, run \`posthorn migrate --restart-other-workers\` (or \`posthorn start\` with that flag) once.`,
  )
}
