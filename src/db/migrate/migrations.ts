import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Sql } from '../client.ts'

const FOLDER = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))

export interface Migration {
  /** The name of its folder: `<timestamp>_<noun>`. */
  readonly name: string
  readonly sql: string
  /** SHA-256 in hex, as Prisma records it. */
  readonly checksum: string
}

/** The migrations of this version, in order. */
export async function readMigrations(): Promise<Migration[]> {
  return await Promise.all((await migrationNames()).map(readMigration))
}

export async function migrationNames(): Promise<string[]> {
  const entries = await readdir(FOLDER, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return names.sort()
}

async function readMigration(name: string): Promise<Migration> {
  const text = await readFile(path.join(FOLDER, name, 'migration.sql'), 'utf8')
  // Git may check files out with Windows line endings. Prisma's checksum ignores them, too.
  const sql = text.replaceAll('\r\n', '\n')
  return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
}

/** The migrations of this version that the database lacks. The database may have further ones of a newer version. */
export async function unappliedMigrations(sql: Sql): Promise<string[]> {
  const applied = await readApplied(sql)
  return (await migrationNames()).filter((name) => !applied.has(name))
}

/** Prisma's table of applied migrations. `prisma migrate` and `migrate` share it. */
export const MIGRATIONS_TABLE = 'posthorn._prisma_migrations'

/** The checksums of the applied migrations, by name. */
export async function readApplied(sql: Sql): Promise<Map<string, string>> {
  const { rows: tables } = await sql.query<{ exists: boolean }>(
    `select to_regclass('${MIGRATIONS_TABLE}') is not null as exists`,
  )
  if (!tables[0]?.exists) return new Map()
  const { rows } = await sql.query<{ migration_name: string; checksum: string }>(
    `select migration_name, checksum from ${MIGRATIONS_TABLE}
     where finished_at is not null and rolled_back_at is null`,
  )
  return new Map(rows.map((row) => [row.migration_name, row.checksum]))
}
