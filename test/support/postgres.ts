import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../../src/db/client.ts'
import { openEmbeddedPostgres } from '../../src/db/embedded/embedded-postgres.ts'
import { migrate } from '../../src/db/migrate/migrate.ts'
import { startHostilePostgres } from './hostile-postgres.ts'
import { superuserUrl } from './superuser-url.ts'
import { withDatabase } from './with-database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The server of all test files; each file creates its own databases. */
    postgresUrl: string
    /** The migrated database to clone. */
    templateDatabase: string
  }
}

const TEMPLATE = 'posthorn_template'

/**
 * Provides one Postgres for all projects of a run: an embedded one, the server of `TEST_DATABASE_URL`, or with
 * `POSTHORN_TEST_POSTGRES=hostile` one with foreign settings, of the version `POSTHORN_TEST_POSTGRES_VERSION`.
 */
export default async function startPostgres(project: TestProject) {
  const run = project.vitest.getRootProject()
  // Another project of this run has started the server.
  if (run.getProvidedContext().postgresUrl) return
  const dataDir = await mkdtemp(path.join(tmpdir(), 'posthorn test '))
  const postgres = await chosenPostgres(dataDir)
  run.provide('postgresUrl', postgres.url)
  run.provide('templateDatabase', TEMPLATE)
  return async () => {
    await postgres[Symbol.asyncDispose]()
    await rm(dataDir, { recursive: true, force: true })
  }
}

type Postgres = AsyncDisposable & { readonly url: string }

async function chosenPostgres(dataDir: string): Promise<Postgres> {
  const url = process.env['TEST_DATABASE_URL']
  const kind = process.env['POSTHORN_TEST_POSTGRES']
  if (!url && !kind) return await openPreparedPostgres(dataDir)
  if (!url && kind !== 'hostile') {
    throw new Error(
      `POSTHORN_TEST_POSTGRES is ${JSON.stringify(kind)}. Set it to hostile, or unset it.`,
    )
  }
  const postgres = url
    ? { url, [Symbol.asyncDispose]: () => dropTestDatabases(url) }
    : await startHostilePostgres(dataDir, process.env['POSTHORN_TEST_POSTGRES_VERSION'] ?? '18')
  await createTemplate(postgres.url)
  return postgres
}

/** Those that the files of a worker process share outlive the process. */
async function dropTestDatabases(url: string): Promise<void> {
  await using admin = openDatabase(url)
  const { rows } = await admin.pool.query(
    `select datname as name from pg_database where datname like 'posthorn\\_test\\_%'`,
  )
  for (const { name } of rows) await admin.pool.query(`drop database ${name} with (force)`)
}

async function createTemplate(url: string): Promise<void> {
  await using admin = openDatabase(url)
  await admin.pool.query(`drop database if exists ${TEMPLATE} with (force)`)
  await admin.pool.query(`create database ${TEMPLATE}`)
  await using migrated = openDatabase(withDatabase(url, TEMPLATE), { purpose: 'migrations' })
  await migrate(migrated.pool)
}

/** Starts a copy of a cluster with the template. The first run after a change of the migrations makes the cluster. */
async function openPreparedPostgres(dataDir: string): Promise<Postgres> {
  const prepared = path.join(PREPARED, preparedName())
  if (!existsSync(prepared)) await prepare(prepared)
  await copy(prepared, dataDir)
  const embedded = await openEmbeddedPostgres(dataDir)
  return { ...embedded, url: await superuserUrl(dataDir, embedded.url) }
}

async function prepare(prepared: string): Promise<void> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'posthorn template '))
  {
    await using embedded = await openEmbeddedPostgres(dataDir)
    const url = await superuserUrl(dataDir, embedded.url)
    await createTemplate(url)
    await using admin = openDatabase(url)
    // The tests kill processes, not the machine, so nothing is lost without fsync, and the tests are faster.
    await admin.pool.query('alter system set fsync = off')
    // For the processes of several test files.
    await admin.pool.query('alter system set max_connections = 500')
  }
  await rm(PREPARED, { recursive: true, force: true })
  await mkdir(PREPARED, { recursive: true })
  const unfinished = `${prepared}.${process.pid}`
  await copy(dataDir, unfinished)
  await rename(unfinished, prepared)
  await rm(dataDir, { recursive: true, force: true })
}

/** Copies a folder. A copy by Node would belong to another user than the original. */
async function copy(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', `${from}/.`, to])
}

const root = path.join(import.meta.dirname, '../..')
const PREPARED = path.join(root, 'node_modules/.cache/test-postgres')

/**
 * Names all that a prepared cluster depends on: the migrations, the packages, these settings, the user who owns it, and the
 * day, as a migration creates the partitions of a week.
 */
function preparedName(): string {
  const hash = createHash('sha256').update(new Date().toISOString().slice(0, 10))
  const sources = [
    'prisma/migrations/**/*.sql',
    'src/{migrate,db/embedded}/*.ts',
    'package-lock.json',
  ]
  for (const file of globSync([...sources, 'test/support/postgres.ts'], { cwd: root }).toSorted()) {
    hash.update(readFileSync(path.join(root, file)))
  }
  return `${hash.digest('hex').slice(0, 16)}-${process.getuid?.() ?? 0}`
}
