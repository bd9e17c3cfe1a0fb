import pg from 'pg'
import type { Sql } from '../db/client.ts'

/** The migrations of the graphile-worker version that Posthorn runs. `test/db/worker-schema.test.ts` compares them. */
export const WORKER_RELEASE: WorkerRelease = {
  revision: 20,
  breaking: [1, 3, 11, 13, 14, 16, 19],
}

interface WorkerRelease {
  /** The number of the last migration. */
  readonly revision: number
  /** The numbers of the migrations that stop every running worker of the database, in every schema. */
  readonly breaking: readonly number[]
}

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

/** Finds the other schemas of the database that graphile-worker is installed in, by the system catalogue alone. */
export async function otherWorkerSchemas(sql: Sql, workerSchema: string): Promise<string[]> {
  const { rows } = await sql.query<{ name: string }>(
    `select n.nspname as name from pg_namespace as n
     where n.nspname <> $1
       and exists (select from pg_class where relnamespace = n.oid and relname = 'migrations' and relkind = 'r')
       and exists (select from pg_proc where pronamespace = n.oid and proname = 'add_job')
     order by 1`,
    [workerSchema],
  )
  return rows.map(({ name }) => name)
}
