import { rename } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { migrate } from '../../src/db/migrate/migrate.ts'
import { unappliedMigrations } from '../../src/db/migrate/migrations.ts'
import { countJobs, createWebhook, numberOf } from '../scheduling/support/backlog.ts'
import { startTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { needs } from '../support/left-out.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { useFolder } from '../support/use-folder.ts'
import { useResource } from '../support/use-resource.ts'
import { blockOf, quoted, withReplaced } from './command-blocks.ts'
import { createPostgres, type InstalledPostgres } from './installed-postgres.ts'

/*
 * The commands of docs/operate/backups.md, on a server that the package of the system installed. Events are numbered: the
 * first before the backup, the last after the restore.
 */
const folder = await useFolder('backups')
let postgres: InstalledPostgres
let organization: string
let published = 0

const receiver = await useResource(startReceiver())
beforeAll(async () => {
  postgres = await createPostgres(folder)
  await postgres.start()
  await postgres.run('createdb posthorn && mkdir -p backup/wal')
  await using database = open()
  await migrate(database.pool)
  await using app = await startOn(database)
  organization = app.tenant.publicOrganizationId
  await createWebhook(app, receiver.url)
})
afterAll(() => postgres[Symbol.asyncDispose]())

const startOn = (database: Database) =>
  startTestApp({
    database,
    trustedAuthorities: [receiver.authority],
    environment: { POSTHORN_RETRY_SCHEDULE: '1s,1s,1s,1s,1s,1s,1s,1s' },
  })

test(
  'after a restore to a point in time, every event accepted before it arrives, and what was sent after it arrives again',
  needs('pg_ctl'),
  async () => {
    const archiving = inFolder(blockOf('backups.md', 'archive_mode = on'))
    await postgres.run(`psql --no-psqlrc -v ON_ERROR_STOP=1 -d posthorn <<'SQL'\n${archiving}SQL`)
    await postgres.stop()
    await postgres.start()
    await publish(3)
    await deliver()
    await postgres.run(inFolder(blockOf('backups.md', 'pg_basebackup')))
    await publish(4)
    const naming = blockOf('backups.md', 'pg_create_restore_point')
    await postgres.run(`psql --no-psqlrc -v ON_ERROR_STOP=1 -d posthorn <<'SQL'\n${naming}SQL`)
    const moment = await now()
    await publish(5)
    await deliver()
    const before = [...receiver.received]
    expect(new Set(before.map(numberOf)).size).toBe(12)
    await postgres.run('psql -d posthorn -c "select pg_switch_wal()"')
    await until(isArchived, 'the log is archived')
    await postgres.stop()
    await rename(postgres.dataDirectory, `${postgres.dataDirectory}.lost`)
    const [day] = (await postgres.run('ls backup | grep base-')).split('\n')
    const restoring = withReplaced(inFolder(blockOf('backups.md', 'recovery.signal')), {
      'base-2026-11-24': day as string,
      '2026-11-25 09:41:00+00': moment,
    })
    await postgres.run(restoring)
    await postgres.start()
    await until(hasRecovered, 'Postgres has recovered')
    expect(await countIn('posthorn')).toEqual({ events: 7, jobs: 4 })
    await deliver()
    const repeated = receiver.received.slice(before.length)
    expect(repeated.map(numberOf).sort()).toEqual([3, 4, 5, 6])
    const ids = new Set(before.map(({ headers }) => headers['wh-id']))
    expect(repeated.filter(({ headers }) => !ids.has(headers['wh-id']))).toEqual([])
    // It accepts events again.
    await publish(1)
    await deliver()
    expect(receiver.received.map(numberOf)).toContain(12)
  },
)

test('a dump restores events and jobs into an empty database', needs('pg_ctl'), async () => {
  await publish(2)
  const before = await countIn('posthorn')
  expect(before).toMatchObject({ jobs: 2 })
  await postgres.run(blockOf('backups.md', 'pg_dump -Fc'))
  await postgres.run('createdb restored')
  const restoring = `DATABASE_URL=${postgres.urlOf('restored')}\n${blockOf('backups.md', 'pg_restore')}`
  await postgres.run(restoring)
  expect(await countIn('restored')).toEqual(before)
  await using database = open('restored')
  expect(await unappliedMigrations(database.pool)).toEqual([])
  // A second restore would mix two installations.
  await expect(postgres.run(restoring)).rejects.toThrow(/already exists/)
})

/** Runs Posthorn until all events are delivered. */
async function deliver(): Promise<void> {
  await using database = open()
  await using _app = await startOn(database)
  await until(async () => (await countJobs(database.pool)) === 0, 'all events are delivered')
}

const inFolder = (text: string) => withReplaced(text, { '/backup': quoted(`${folder}/backup`) })

function open(name = 'posthorn'): Database {
  return openDatabase(postgres.urlOf(name))
}

async function publish(count: number): Promise<void> {
  await using database = open()
  for (let i = 0; i < count; i++) {
    const data = JSON.stringify({ number: published++ })
    await database.pool.query('select posthorn.publish_event($1, $2, $3)', [
      organization,
      JOINED,
      data,
    ])
  }
}

async function now(): Promise<string> {
  await using database = open()
  const { rows } = await database.pool.query('select clock_timestamp()::text as now')
  return rows[0].now
}

async function isArchived(): Promise<boolean> {
  await using database = open()
  const { rows } = await database.pool.query(
    `select last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 16777216) as is from pg_stat_archiver`,
  )
  return rows[0].is
}

async function hasRecovered(): Promise<boolean> {
  return (await postgres.run('psql -d posthorn -Atc "select pg_is_in_recovery()"')).trim() === 'f'
}

async function countIn(name: string) {
  await using database = open(name)
  const { rows } = await database.pool.query(
    `select (select count(*)::int from posthorn.events) as events,
       (select count(*)::int from graphile_worker.jobs where task_identifier = 'posthorn:deliver') as jobs`,
  )
  return rows[0]
}
