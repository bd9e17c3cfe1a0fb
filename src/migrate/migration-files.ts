import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../../prisma/migrations', import.meta.url))

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
