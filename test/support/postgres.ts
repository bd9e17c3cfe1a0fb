import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../../src/db/client.ts'
import { openEmbeddedPostgres } from '../../src/db/embedded/embedded-postgres.ts'
import { migrate } from '../../src/migrate/migrate.ts'
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

/**
 * Provides one Postgres for the whole run: an embedded one, the server of `TEST_DATABASE_URL`, or with
 * `POSTHORN_TEST_POSTGRES=hostile` one with foreign settings, of the version `POSTHORN_TEST_POSTGRES_VERSION`.
 */
export default async function startPostgres(project: TestProject) {
  // Two projects may share a server.
  const template = `posthorn_template_${project.name}`
  const dataDir = await mkdtemp(path.join(tmpdir(), 'posthorn test '))
  const postgres = await chosenPostgres(dataDir)
  const { url } = postgres
  const admin = openDatabase(url)
  await admin.pool.query(`drop database if exists ${template} with (force)`)
  await admin.pool.query(`create database ${template}`)
  {
    await using migrated = openDatabase(withDatabase(url, template), { purpose: 'migrations' })
    await migrate(migrated.pool)
  }
  project.provide('postgresUrl', url)
  project.provide('templateDatabase', template)
  return async () => {
    await admin[Symbol.asyncDispose]()
    await postgres[Symbol.asyncDispose]()
    await rm(dataDir, { recursive: true, force: true })
  }
}

type Postgres = AsyncDisposable & { readonly url: string }

async function chosenPostgres(dataDir: string): Promise<Postgres> {
  const url = process.env['TEST_DATABASE_URL']
  if (url) return { url, async [Symbol.asyncDispose]() {} }
  const kind = process.env['POSTHORN_TEST_POSTGRES']
  if (!kind) return await openConfiguredPostgres(dataDir)
  if (kind !== 'hostile') {
    throw new Error(
      `POSTHORN_TEST_POSTGRES is ${JSON.stringify(kind)}. Set it to hostile, or unset it.`,
    )
  }
  return await startHostilePostgres(dataDir, process.env['POSTHORN_TEST_POSTGRES_VERSION'] ?? '18')
}

async function openConfiguredPostgres(dataDir: string) {
  {
    await using embedded = await openEmbeddedPostgres(dataDir)
    await using admin = openDatabase(await superuserUrl(dataDir, embedded.url))
    // The tests kill processes, not the machine, so nothing is lost without fsync, and the tests are faster.
    await admin.pool.query('alter system set fsync = off')
    // For the processes of several test files.
    await admin.pool.query('alter system set max_connections = 500')
  }
  const embedded = await openEmbeddedPostgres(dataDir)
  return { ...embedded, url: await superuserUrl(dataDir, embedded.url) }
}
