import { execFile } from 'node:child_process'
import { chown, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { migrate } from '../../src/migrate/migrate.ts'
import { countJobs, createWebhook, numberOf } from '../scheduling/support/backlog.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { type PostgresServer, startPostgresServer } from './postgres-server.ts'

/*
 * The drill of docs/operate/backups.md: a base backup, the write-ahead log, and a restore to a point in time. Events are
 * numbered: the first before the backup, the last after the point.
 */
let directory: string
let postgres: PostgresServer
let receiver: Receiver
let database: Database
let posthorn: TestApp

const POINT = 'before the mistake'

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'posthorn restore '))
  postgres = await startPostgresServer(directory)
  receiver = await startReceiver()
  await startArchiving()
  database = openDatabase(postgres.url)
  await migrate(database.pool)
  posthorn = await start()
  await createWebhook(posthorn, receiver.url)
})
afterAll(async () => {
  await posthorn[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
  await postgres[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

const start = () =>
  startTestApp({
    database,
    trustedAuthorities: [receiver.authority],
    environment: { POSTHORN_RETRY_SCHEDULE: '1s,1s,1s,1s,1s,1s,1s,1s' },
  })

test('after a restore to a point in time, every event accepted before it arrives, and what was sent after it arrives again', async () => {
  await publish(0, 20)
  await until(isDrained, 'the events before the backup are delivered')
  await backUp()
  await publish(20, 40)
  await until(isDrained, 'the events after the backup are delivered')

  receiver.answer = (response) => void response.writeHead(503).end()
  await publish(40, 50)
  await until(() => arrivalsOf(40, 50).length >= 10, 'the first attempts fail')
  await database.pool.query('select pg_create_restore_point($1)', [POINT])
  receiver.answer = (response) => void response.end()
  await publish(50, 60)
  await until(isDrained, 'the events after the point, and the retries, are delivered')
  await posthorn[Symbol.asyncDispose]()
  const before = [...receiver.received]
  expect(new Set(before.map(numberOf)).size).toBe(60)

  await restore()
  posthorn = await start()
  await until(isDrained, 'what was pending at the point is delivered')
  const repeated = receiver.received.slice(before.length)
  expect(repeated.map(numberOf).sort((a, b) => a - b)).toEqual(range(40, 50))
  const ids = new Set(before.map(({ headers }) => headers['wh-id']))
  expect(repeated.filter(({ headers }) => !ids.has(headers['wh-id']))).toEqual([])
  expect(await storedEvents()).toBe(50)

  await database.pool.query('select posthorn.publish_event($1, $2, $3)', [
    await organization(),
    JOINED,
    JSON.stringify({ number: 60 }),
  ])
  await until(() => arrivalsOf(60, 61).length === 1, 'the restored installation delivers')
})

async function publish(from: number, to: number): Promise<void> {
  const id = await organization()
  for (const number of range(from, to)) {
    const data = JSON.stringify({ number })
    await database.pool.query('select posthorn.publish_event($1, $2, $3)', [id, JOINED, data])
  }
}

async function organization(): Promise<string> {
  const { rows } = await database.pool.query(
    `select posthorn.type_id('org', organization_id) as id from posthorn.webhooks`,
  )
  return rows[0].id
}

async function storedEvents(): Promise<number> {
  const { rows } = await database.pool.query('select count(*)::int as n from posthorn.events')
  return rows[0].n
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

const isDrained = async () => (await countJobs(database.pool)) === 0

function arrivalsOf(from: number, to: number) {
  return receiver.received.filter((request) => {
    const number = numberOf(request)
    return number >= from && number < to
  })
}

const archive = () => path.join(path.dirname(postgres.cluster), 'archive')
const backup = () => path.join(path.dirname(postgres.cluster), 'backup')

async function startArchiving(): Promise<void> {
  await makeFolder(archive())
  await postgres.query(`alter system set archive_mode = on`)
  await postgres.query(`alter system set archive_command = 'cp "%p" "${archive()}/%f"'`)
  await postgres.query(`alter system set restore_command = 'cp "${archive()}/%f" "%p"'`)
  await postgres.query(`alter system set recovery_target_name = '${POINT}'`)
  await postgres.query(`alter system set recovery_target_action = 'promote'`)
  await postgres.stop('fast')
  await postgres.start()
}

/** What pg_basebackup does, which the embedded Postgres does not have. */
async function backUp(): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  try {
    await client.query(`select pg_backup_start('drill', true)`)
    const left = ['postmaster.pid', 'postmaster.opts', 'pg_wal']
    const copied = (await readdir(postgres.cluster)).filter((name) => !left.includes(name))
    await makeFolder(backup())
    // With the owners and modes of the files. In pg_wal, archived files vanish while they are copied.
    await promisify(execFile)('cp', [
      '-a',
      ...copied.map((name) => path.join(postgres.cluster, name)),
      backup(),
    ])
    const { rows } = await client.query('select labelfile from pg_backup_stop()')
    await write(path.join(backup(), 'backup_label'), rows[0].labelfile)
  } finally {
    await client.end()
  }
}

async function restore(): Promise<void> {
  await postgres.query('select pg_switch_wal()')
  await postgres.stop('fast')
  await rename(postgres.cluster, `${postgres.cluster}.lost`)
  await rename(backup(), postgres.cluster)
  await makeFolder(path.join(postgres.cluster, 'pg_wal'))
  await write(path.join(postgres.cluster, 'recovery.signal'), '')
  await postgres.start()
  await until(async () => {
    const [row] = await postgres.query('select pg_is_in_recovery() as recovers')
    return !row.recovers
  }, 'Postgres has recovered')
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 })
  await giveToPostgres(folder)
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text)
  await giveToPostgres(file)
}

/** As root, Postgres runs as another user. */
async function giveToPostgres(file: string): Promise<void> {
  const { uid, gid } = await stat(path.join(postgres.cluster, 'PG_VERSION'))
  await chown(file, uid, gid)
}
