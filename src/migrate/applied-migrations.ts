import type { Sql } from '../db/client.ts'
import { migrationNames } from './migration-files.ts'

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
