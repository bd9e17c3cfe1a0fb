import pg from 'pg'
import type { Sql } from '../db/client.ts'

/** The comments of our database functions that call graphile-worker begin with this. */
const CALLS_GRAPHILE_WORKER = 'Calls graphile-worker.'

/** The comment on a worker schema that Posthorn created, and that an upgrade may therefore migrate. */
const CREATED_BY_POSTHORN = 'Created by Posthorn, for the jobs that graphile-worker runs.'

/** Installs or migrates graphile-worker's tables. Creates the schema if it does not exist. */
export async function installWorkerSchema(pool: pg.Pool, workerSchema: string): Promise<void> {
  const { runMigrations } = await import('graphile-worker')
  const { isEmpty, isOwned } = await findWorkerSchema(pool, workerSchema)
  if (isEmpty) {
    const name = pg.escapeIdentifier(workerSchema)
    await pool.query(`create schema if not exists ${name}`)
    if (isOwned) await pool.query(`comment on schema ${name} is '${CREATED_BY_POSTHORN}'`)
  }
  await runMigrations({ pgPool: pool, schema: workerSchema })
}

/** A schema, as the system catalogue describes it. One that does not exist is empty. */
interface WorkerSchema {
  readonly isEmpty: boolean
  /** Whether the role of the connection owns the schema, or would own it after creating it. */
  readonly isOwned: boolean
  readonly isCreatedByPosthorn: boolean
}

export async function findWorkerSchema(sql: Sql, workerSchema: string): Promise<WorkerSchema> {
  const { rows } = await sql.query<WorkerSchema>(
    `select
       not exists (select from pg_class where relnamespace = n.oid)
         and not exists (select from pg_proc where pronamespace = n.oid) as "isEmpty",
       pg_has_role(n.nspowner, 'usage') as "isOwned",
       coalesce(obj_description(n.oid, 'pg_namespace') = $2, false) as "isCreatedByPosthorn"
     from pg_namespace as n where n.nspname = $1`,
    [workerSchema, CREATED_BY_POSTHORN],
  )
  return rows[0] ?? { isEmpty: true, isOwned: true, isCreatedByPosthorn: false }
}

/**
 * A session keeps the plans of the functions that it calls. One that it made while the queue was empty would read all jobs
 * later. With these settings, in sessions of host applications too, every lookup is a bitmap scan, which needs a condition
 * of an index. Before PostgreSQL 18, a disabled scan also has so high a cost that it triggers JIT compilation.
 */
const PLANS = {
  enable_seqscan: 'off',
  enable_indexscan: 'off',
  enable_bitmapscan: 'on',
  enable_nestloop: 'on',
  jit: 'off',
}

/**
 * Adds the worker schema to the search path of our database functions that call graphile-worker: those whose comment
 * begins with `Calls graphile-worker.`. Also lets them read jobs by an index only. Functions with the right settings are
 * not altered. Call it with the lock of the migrations, as concurrent alterations of a function fail.
 */
export async function bindWorkerSchema(sql: Sql, workerSchema: string): Promise<void> {
  const plans = Object.entries(PLANS)
  const { rows } = await sql.query<{ routine: string; path: string }>(
    `select format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) as routine,
       wanted.path
     from pg_proc as p
     join pg_namespace as n on n.oid = p.pronamespace,
     format('posthorn, %I, pg_temp', $1::text) as wanted (path)
     where n.nspname = 'posthorn' and starts_with(obj_description(p.oid, 'pg_proc'), $2)
       and not coalesce(p.proconfig, '{}') @> (array['search_path=' || wanted.path] || $3::text[])
     order by 1`,
    [workerSchema, CALLS_GRAPHILE_WORKER, plans.map(([name, value]) => `${name}=${value}`)],
  )
  for (const { routine, path } of rows) {
    for (const [name, value] of [['search_path', path], ...plans])
      await sql.query(`alter routine ${routine} set ${name} to ${value}`)
  }
}

/** The last migration of the graphile-worker version that Posthorn runs. `test/db/worker-schema.test.ts` compares it. */
export const WORKER_REVISION = 20

/** The revision of graphile-worker in a schema; null if it is not installed there. */
export async function installedRevision(sql: Sql, workerSchema: string): Promise<number | null> {
  const table = `${pg.escapeIdentifier(workerSchema)}.migrations`
  const { rows: columns } = await sql.query(
    `select from pg_attribute where attrelid = to_regclass($1) and attname in ('id', 'ts')`,
    [table],
  )
  if (columns.length < 2) return null
  const { rows } = await sql.query<{ revision: number }>(
    `select coalesce(max(id), 0) as revision from ${table}`,
  )
  return rows[0]?.revision ?? 0
}
