import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MigrationList } from '@prisma/schema-engine-wasm'
import { runMigrations as runWorkerMigrations } from 'graphile-worker'
import pg from 'pg'
import { openSchemaEngine } from './schema-engine.ts'

const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('../../prisma/migrations', import.meta.url))

/** Any constant will do, as long as every version of Posthorn uses the same. */
const MIGRATION_LOCK = 7_305_429_911

/**
 * Brings the database to this version: graphile-worker's migrations, then Posthorn's, in Prisma's bookkeeping.
 * Answers the names that were applied. Processes that start together wait for the first; the others find it done.
 */
export async function migrate(pool: pg.Pool): Promise<string[]> {
  await assertSupportedServer(pool)
  const lock = await pool.connect()
  try {
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await runWorkerMigrations({ pgPool: pool })
    const migrations = await readMigrations()
    await lock.query('create schema if not exists posthorn')
    const applied =
      (await unapplied(pool, migrations)).length === 0
        ? []
        : await applyMigrations(pool, migrations)
    await bindWorkerSchema(lock)
    return applied
  } catch (error) {
    if (isForbidden(error)) throw await mayNotMigrate(pool, error)
    throw error
  } finally {
    await lock.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {})
    lock.release()
  }
}

/** Where the service runs as a role that may not change the schema, another one has to. */
async function mayNotMigrate(pool: pg.Pool, cause: unknown): Promise<Error> {
  const { rows } = await pool.query<{ role: string }>('select current_user as role')
  const role = rows[0]?.role
  return new Error(
    `This database is not at the version of this program, and the role ${role} of DATABASE_URL may not change it. Run \`posthorn migrate --service-role ${role}\` with the DATABASE_URL of the role that owns the tables, then start again.`,
    { cause },
  )
}

function isForbidden(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (error as { code?: string }).code === '42501' || isForbidden(error.cause)
}

async function applyMigrations(pool: pg.Pool, migrations: MigrationList): Promise<string[]> {
  let cause: Error | undefined
  await using own = openOwnConnection(pool)
  await using engine = await openSchemaEngine(own.pool, (error) => {
    cause = error
  })
  try {
    // Each migration is one transaction, so of one that was cut off nothing is left, and it can run again.
    const { failedMigrationNames } = await engine.diagnoseMigrationHistory({
      migrationsList: migrations,
      optInToShadowDatabase: false,
      filters: { externalTables: [], externalEnums: [] },
    })
    for (const migrationName of failedMigrationNames) {
      await engine.markMigrationRolledBack({ migrationName })
    }
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: migrations,
      filters: { externalTables: [], externalEnums: [] },
    })
    return appliedMigrationNames
  } catch (error) {
    throw new Error(`A migration failed: ${(cause ?? (error as Error)).message}`, {
      cause: cause ?? error,
    })
  }
}

/** The engine names its table without a schema, so that it must be ours, whoever the connection is made as. */
function openOwnConnection({ options }: pg.Pool): { pool: pg.Pool } & AsyncDisposable {
  const pool = new pg.Pool({ ...options, max: 1, options: '-c search_path=posthorn' })
  pool.on('error', () => {})
  return { pool, [Symbol.asyncDispose]: () => pool.end() }
}

/** The migrations that this version has and the database has not. */
export async function unappliedMigrations(pool: pg.Pool): Promise<string[]> {
  return await unapplied(pool, await readMigrations())
}

async function unapplied(pool: pg.Pool, migrations: MigrationList): Promise<string[]> {
  const names = migrations.migrationDirectories.map((directory) => directory.path)
  const { rows: tables } = await pool.query(
    `select to_regclass('posthorn._prisma_migrations') is not null as exists`,
  )
  if (!tables[0].exists) return names
  const { rows } = await pool.query(
    `select migration_name from posthorn._prisma_migrations
     where finished_at is not null and rolled_back_at is null`,
  )
  const applied = new Set(rows.map((row) => row.migration_name))
  return names.filter((name) => !applied.has(name))
}

async function readMigrations(): Promise<MigrationList> {
  const entries = await readdir(MIGRATIONS_DIRECTORY, { withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
  return {
    baseDir: MIGRATIONS_DIRECTORY,
    lockfile: { path: 'migration_lock.toml', content: await readSql('migration_lock.toml') },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.map(async (name) => ({
        path: name,
        migrationFile: {
          path: 'migration.sql',
          content: { tag: 'ok' as const, value: await readSql(path.join(name, 'migration.sql')) },
        },
      })),
    ),
  }
}

async function readSql(file: string): Promise<string> {
  return await readFile(path.join(MIGRATIONS_DIRECTORY, file), 'utf8')
}

async function assertSupportedServer(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query(
    `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`,
  )
  const [{ version, encoding }] = rows
  if (version < 150_000) {
    throw new Error(
      `Posthorn needs PostgreSQL 15 or newer; this server is ${Math.floor(version / 10_000)}.`,
    )
  }
  if (encoding !== 'UTF8') {
    throw new Error(`Posthorn needs a database encoded in UTF8; this one is ${encoding}.`)
  }
}

async function bindWorkerSchema(sql: pg.PoolClient): Promise<void> {
  const { rows } = await sql.query<{ name: string }>(
    `select p.oid::regprocedure::text as name from pg_proc as p join pg_description as d on d.objoid = p.oid
     where p.pronamespace = 'posthorn'::regnamespace and d.description like 'Calls graphile-worker%'`,
  )
  for (const { name } of rows)
    await sql.query(`alter function ${name} set search_path to posthorn, graphile_worker, pg_temp`)
}
