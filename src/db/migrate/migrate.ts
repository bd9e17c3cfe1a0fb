import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { SETTINGS } from '../../config/config.ts'
import type { Settings } from '../../config/settings.ts'
import {
  bindWorkerSchema,
  installedRevision,
  installWorkerSchema,
  WORKER_REVISION,
} from '../../queue/worker-schema.ts'
import type { Sql } from '../client.ts'
import { createConnections, START_CONNECT_TIMEOUT_MS } from '../pools.ts'
import { MIGRATIONS_TABLE, type Migration, readApplied, readMigrations } from './migrations.ts'
import { type PreflightOptions, preflight, type UrlSetting } from './preflight.ts'

/** An arbitrary number. Every version of Posthorn must use the same one. */
const MIGRATION_LOCK = 7_305_429_911

const POOL = { purpose: 'migrations', onError: () => {} } as const

/**
 * Migrates at the start of a process, on connections that may take up to 30 s to open. Returns the applied migrations.
 * `usesPooler`: whether this process connects through the pooler.
 */
export async function migrateDatabase(
  { databaseUrl, poolerUrl }: Pick<Settings['secrets'], 'databaseUrl' | 'poolerUrl'>,
  workerSchema: string,
  usesPooler = true,
): Promise<string[]> {
  const connections = createConnections(databaseUrl, START_CONNECT_TIMEOUT_MS)
  const pool = connections.open({ ...POOL, maxConnections: 5 })
  const probe = connections.open({ ...POOL, maxConnections: 2, kind: 'pooled' })
  const pooler =
    poolerUrl !== null && usesPooler
      ? connections.open({ ...POOL, maxConnections: 1, poolerUrl })
      : null
  try {
    return await migrate(pool, {
      workerSchema,
      urlSetting: poolerUrl === null ? 'DATABASE_URL' : 'POSTHORN_DIRECT_DATABASE_URL',
      probe,
      pooler,
    })
  } finally {
    await probe.end()
    await pool.end()
    await pooler?.end()
  }
}

/**
 * Brings the database to this version: applies graphile-worker's migrations, then Posthorn's, and records them in
 * Prisma's table. Returns the names of the applied migrations. Of processes that start together, one migrates and the
 * others wait. Rejects an unsuitable database before changing anything.
 */
export async function migrate(
  pool: pg.Pool,
  {
    workerSchema = SETTINGS.POSTHORN_WORKER_SCHEMA,
    urlSetting = 'DATABASE_URL',
    probe = pool,
    pooler = null,
  }: Partial<PreflightOptions> = {},
): Promise<string[]> {
  await preflight(pool, { workerSchema, urlSetting, probe, pooler })
  return await withMigrationLock(pool, async (client) => {
    const migrations = await readMigrations()
    const applied = await readApplied(client)
    requireSameHistory(applied, migrations)
    const pending = migrations.filter(({ name }) => !applied.has(name))
    const isWorkerSchemaBehind = (await installedRevision(client, workerSchema)) !== WORKER_REVISION
    if (pending.length > 0 || isWorkerSchemaBehind) {
      await requireCreatePrivilege(client, urlSetting)
    }
    if (isWorkerSchemaBehind) await installWorkerSchema(pool, workerSchema)
    if (pending.length > 0) await client.query(CREATE_MIGRATIONS_TABLE)
    for (const migration of pending) await apply(client, migration, workerSchema)
    await bindWorkerSchema(client, workerSchema)
    return pending.map(({ name }) => name)
  })
}

/** Throws unless the database has all migrations of this version. Changes nothing. */
export async function requireMigrated(sql: Sql): Promise<void> {
  const [migrations, applied] = [await readMigrations(), await readApplied(sql)]
  requireSameHistory(applied, migrations)
  if (migrations.every(({ name }) => applied.has(name))) return
  throw new Error(
    'The database is not migrated to this version of Posthorn. Nothing was read or changed. Run: posthorn migrate',
  )
}

async function withMigrationLock<T>(
  pool: pg.Pool,
  run: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    return await run(client)
  } finally {
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).then(
      () => client.release(),
      () => client.release(true),
    )
  }
}

function requireSameHistory(
  applied: ReadonlyMap<string, string>,
  migrations: readonly Migration[],
): void {
  for (const [name, checksum] of applied) {
    const migration = migrations.find((one) => one.name === name)
    if (!migration) {
      throw new Error(
        `The database has the migration ${name}, which this version of Posthorn does not have: another version migrated it. Run that version or a newer one. To go back, restore the backup from before the upgrade.`,
      )
    }
    if (migration.checksum !== checksum) {
      throw new Error(
        `The migration ${name} was changed after it was applied: the database recorded the checksum ${checksum}, and prisma/migrations/${name}/migration.sql has ${migration.checksum}. Restore the file, and put the change into a new migration.`,
      )
    }
  }
}

/** The table as Prisma creates it. */
const CREATE_MIGRATIONS_TABLE = `
  create schema if not exists posthorn;
  create table if not exists ${MIGRATIONS_TABLE} (
    id varchar(36) not null primary key,
    checksum varchar(64) not null,
    finished_at timestamptz,
    migration_name varchar(255) not null,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz not null default now(),
    applied_steps_count integer not null default 0
  )`

/** A process that fails is started again, and tries again. */
const LOCK_TIMEOUT = '30s'

/** Applies and records a migration in one transaction, so that a failed one leaves nothing behind. */
async function apply(
  client: Sql,
  { name, sql, checksum }: Migration,
  workerSchema: string,
): Promise<void> {
  try {
    const searchPath = `posthorn, ${pg.escapeIdentifier(workerSchema)}`
    // Everybody else waits behind a migration that waits for a lock.
    await client.query(
      `begin; set local search_path to ${searchPath}; set local lock_timeout = '${LOCK_TIMEOUT}'`,
    )
    await client.query(sql)
    await revokePublicFunctions(client)
    await client.query(
      `insert into ${MIGRATIONS_TABLE} (id, checksum, migration_name, finished_at, applied_steps_count)
       values ($1, $2, $3, clock_timestamp(), 1)`,
      [randomUUID(), checksum, name],
    )
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw new Error(`The migration ${name} failed: ${(error as Error).message}`, { cause: error })
  }
}

/**
 * Postgres lets everybody execute a new function. `alter default privileges … in schema posthorn` cannot take that away,
 * and without the schema it would also change the functions that the same role creates for a host application.
 */
async function revokePublicFunctions(client: Sql): Promise<void> {
  const { rows } = await client.query<{ routines: string | null }>(
    `select string_agg(oid::regprocedure::text, ', ') as routines from pg_proc
     where pronamespace = 'posthorn'::regnamespace and has_function_privilege('public', oid, 'execute')`,
  )
  const routines = rows[0]?.routines
  if (routines) await client.query(`revoke execute on routine ${routines} from public`)
}

/**
 * Checked before any change: the service's role owns graphile-worker's tables, so it could migrate these and then fail
 * on Posthorn's own.
 */
async function requireCreatePrivilege(sql: Sql, urlSetting: UrlSetting): Promise<void> {
  const { rows } = await sql.query<{ role: string; has_privilege: boolean }>(
    `select current_user as role, coalesce(
       has_schema_privilege(to_regnamespace('posthorn')::oid, 'create'),
       has_database_privilege(current_database(), 'create')
     ) as has_privilege`,
  )
  const { role, has_privilege } = rows[0] as (typeof rows)[0]
  if (has_privilege) return
  throw new Error(
    `The database needs a migration, and the role ${role} of ${urlSetting} lacks the privileges for it. Run \`posthorn migrate --service-role ${role}\` with the ${urlSetting} of the role that owns the tables, then start again.`,
  )
}
