import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import type { Sql } from '../db/client.ts'

/** The functions of ours whose search path ends in the worker schema, by how their comments begin. */
const CALLS_GRAPHILE_WORKER = 'Calls graphile-worker.'

/** The comment on a worker schema that Posthorn made, so that an upgrade may migrate it. */
const MADE_BY_POSTHORN = 'Created by Posthorn, for the jobs that graphile-worker runs.'

/** Brings graphile-worker's tables to its version, in a schema that is made where it does not exist. */
export async function installWorkerSchema(pool: pg.Pool, workerSchema: string): Promise<void> {
  await createWorkerSchema(pool, workerSchema)
  await runMigrations({ pgPool: pool, schema: workerSchema })
}

async function createWorkerSchema(sql: Sql, workerSchema: string): Promise<void> {
  const { isEmpty, isOwned } = await findWorkerSchema(sql, workerSchema)
  if (!isEmpty) return
  const name = pg.escapeIdentifier(workerSchema)
  await sql.query(`create schema if not exists ${name}`)
  if (isOwned) await sql.query(`comment on schema ${name} is '${MADE_BY_POSTHORN}'`)
}

/** What the catalogue says of a schema. One that does not exist is empty. */
export interface WorkerSchema {
  readonly isEmpty: boolean
  /** Whether the role of the connection owns it, or will, where it does not exist. */
  readonly isOwned: boolean
  readonly isMadeByPosthorn: boolean
}

export async function findWorkerSchema(sql: Sql, workerSchema: string): Promise<WorkerSchema> {
  const { rows } = await sql.query<WorkerSchema>(
    `select
       not exists (select from pg_class where relnamespace = n.oid)
         and not exists (select from pg_proc where pronamespace = n.oid) as "isEmpty",
       pg_has_role(n.nspowner, 'usage') as "isOwned",
       coalesce(obj_description(n.oid, 'pg_namespace') = $2, false) as "isMadeByPosthorn"
     from pg_namespace as n where n.nspname = $1`,
    [workerSchema, MADE_BY_POSTHORN],
  )
  return rows[0] ?? { isEmpty: true, isOwned: true, isMadeByPosthorn: false }
}

/**
 * Lets our database functions find graphile-worker's: those whose comment begins with `Calls graphile-worker.` name them
 * without a schema, and get it by their search path. To be called with the lock of the migrations, as two that alter a
 * function at once fail; what is right already is left alone.
 */
export async function bindWorkerSchema(sql: Sql, workerSchema: string): Promise<void> {
  const { rows } = await sql.query<{ routine: string; path: string }>(
    `select format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) as routine,
       wanted.path
     from pg_proc as p
     join pg_namespace as n on n.oid = p.pronamespace,
     format('posthorn, %I, pg_temp', $1::text) as wanted (path)
     where n.nspname = 'posthorn' and starts_with(obj_description(p.oid, 'pg_proc'), $2)
       and not coalesce(p.proconfig, '{}') @> array['search_path=' || wanted.path]
     order by 1`,
    [workerSchema, CALLS_GRAPHILE_WORKER],
  )
  for (const { routine, path } of rows) {
    await sql.query(`alter routine ${routine} set search_path to ${path}`)
  }
}
