import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { migrate } from '../../src/migrate/migrate.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { type OwnPostgres, startOwnPostgres } from './own-postgres.ts'
import { type Relay, startRelay } from './relay.ts'

let directory: string
let postgres: OwnPostgres
let relay: Relay
let database: Database
let receiver: Receiver
let app: TestApp

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'posthorn away '))
  postgres = await startOwnPostgres(directory)
  relay = await startRelay(Number(new URL(postgres.url).port))
  const url = new URL(postgres.url)
  url.port = String(relay.port)
  database = openDatabase(url.href)
  await migrate(database.pool)
  receiver = await startReceiver()
  app = await startTestApp({ database, trustedAuthorities: [receiver.authority] })
  await app.rest('POST', '/webhooks', {
    url: receiver.url,
    event_subscriptions: [JOINED],
    enabled: true,
  })
}, 90_000)
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
  await relay[Symbol.asyncDispose]()
  await postgres[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})
beforeEach(async () => {
  await until(isReady, 'it is ready')
  await until(async () => (await jobCount()) === 0, 'nothing is left')
  receiver.clear()
})

describe.each<[string, () => Promise<void>, () => Promise<void>, answersReads?: boolean]>([
  // First: while the connections are those of the start.
  ['the server is out of reach', async () => relay.silence(), async () => relay.restore()],
  ['Postgres is killed', () => postgres.kill(), () => postgres.start()],
  ['Postgres shuts down at once', () => postgres.stop('immediate'), () => postgres.start()],
  ['Postgres shuts down for maintenance', () => postgres.stop('fast'), () => postgres.start()],
  [
    'a failover leaves a server that only reads',
    () => onlyReads(true),
    () => onlyReads(false),
    true,
  ],
])('while %s', (_case, goAway, comeBack, answersReads = false) => {
  test('callers are told at once to come again, readiness says so, and all resumes within 5 s', async () => {
    await goAway()
    await until(async () => (await readyz()) === 503, 'readiness turns red', 10_000)
    const answers = await Promise.all([publish(), publish(), create(), list()])
    if (answersReads) expect(answers.pop()).toMatchObject({ status: 200 })
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 503, retryAfter: '5' })
      // Not after a deadline of each connection in turn.
      expect(answer.tookMs).toBeLessThan(4_000)
    }
    expect(await healthz()).toBe(200)
    expect(receiver.received).toEqual([])

    await comeBack()
    const backAt = performance.now()
    await until(async () => (await publish()).status === 200, 'an event is accepted', 10_000)
    await receiver.arrival(1)
    expect(performance.now() - backAt).toBeLessThan(5_000)
    await until(isReady, 'it is ready')
    await until(async () => (await jobCount()) === 0, 'nothing is left')
  }, 60_000)
})

test('an attempt that ended while Postgres was away is recorded, and not made again', async () => {
  const pending = Promise.withResolvers<void>()
  receiver.answer = (response) => void pending.promise.then(() => response.end())
  await publish()
  await receiver.arrival(1)
  await postgres.kill()
  pending.resolve()
  receiver.answer = (response) => response.end()
  await postgres.start()
  await until(async () => (await jobCount()) === 0, 'nothing is left')
  expect(receiver.received).toHaveLength(1)
  const [attempts] = await postgres.query(
    'select count(*)::int as count from posthorn.attempts where delivery_id = (select max(id::text)::uuid from posthorn.deliveries)',
  )
  expect(attempts).toEqual({ count: 1 })
}, 60_000)

test('when the disk is full (as an error raised where attempts and events are stored), callers come again, and no receiver is bothered twice', async () => {
  await refuseRows('events')
  expect(await publish()).toMatchObject({ status: 503, retryAfter: '5' })
  await acceptRows('events')

  await refuseRows('attempts')
  expect((await publish()).status).toBe(200)
  await receiver.arrival(1)
  await until(async () => (await rejections()) >= 3, 'it was tried to record it a few times')
  expect(receiver.received).toHaveLength(1)
  await acceptRows('attempts')
  await until(async () => (await jobCount()) === 0, 'nothing is left')
  expect(receiver.received).toHaveLength(1)
}, 60_000)

test('when others hold all connections of the server, callers are told to come again, and all resumes when they let go', async () => {
  await until(async () => (await publish()).status === 200, 'an event is accepted')
  const others: pg.Client[] = []
  await postgres.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'posthorn'`,
  )
  for (let full = false; !full; ) {
    const client = new pg.Client({ connectionString: postgres.url })
    client.on('error', () => {})
    full = await client.connect().then(
      () => false,
      () => true,
    )
    if (!full) others.push(client)
    if (full && others.length < 50) full = false
  }
  const answers = await Promise.all(Array.from({ length: 30 }, () => publish()))
  expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true)
  for (const client of others) await client.end()
  receiver.clear()
  await until(async () => (await publish()).status === 200, 'an event is accepted', 5_000)
  await until(() => receiver.received.length > 0, 'it arrives')
}, 60_000)

test('a publisher that meets a lock which somebody holds for long is told to come again', async () => {
  const holder = new pg.Client({ connectionString: postgres.url })
  await holder.connect()
  try {
    await holder.query('begin; lock table posthorn.idempotency_keys in access exclusive mode')
    expect(await publish('k-1')).toMatchObject({ status: 503, retryAfter: '5' })
    await holder.query('rollback')
    expect(await publish('k-1')).toMatchObject({ status: 200 })
    await receiver.arrival(1)
  } finally {
    await holder.end()
  }
}, 60_000)

interface Answer {
  readonly status: number
  readonly retryAfter: string | null
  readonly tookMs: number
}

async function timed(call: Promise<Response>): Promise<Answer> {
  const startedAt = performance.now()
  const response = await call
  const retryAfter = response.headers.get('retry-after')
  await response.body?.cancel()
  return { status: response.status, retryAfter, tookMs: performance.now() - startedAt }
}

function publish(idempotencyKey?: string): Promise<Answer> {
  const query =
    'mutation($input: PublishEventInput!) { publishEvent(input: $input) { __typename } }'
  return timed(
    fetch(`${app.app.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${app.tenant.token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        query,
        variables: { input: { type: JOINED, data: {}, idempotencyKey } },
      }),
    }),
  )
}

function create(): Promise<Answer> {
  const body = { url: 'https://example.com/', event_subscriptions: [JOINED] }
  return timed(app.rest('POST', '/webhooks', body))
}

function list(): Promise<Answer> {
  return timed(app.rest('GET', '/webhooks'))
}

async function readyz(): Promise<number> {
  return (await timed(fetch(`${app.app.url}/readyz`))).status
}

async function isReady(): Promise<boolean> {
  return (await readyz()) === 200
}

async function healthz(): Promise<number> {
  return (await timed(fetch(`${app.app.url}/healthz`))).status
}

async function onlyReads(only: boolean): Promise<void> {
  const name = 'default_transaction_read_only'
  await postgres.query(`alter system set ${name} = ${only ? 'on' : 'off'}`)
  await postgres.query('select pg_reload_conf()')
}

/** What Postgres says when it cannot make a table larger. */
async function refuseRows(table: 'events' | 'attempts'): Promise<void> {
  await postgres.query(`
    create sequence if not exists rejections;
    create or replace function refuse() returns trigger language plpgsql as $$
    begin
      perform nextval('rejections');
      raise disk_full using message = 'could not extend file: No space left on device';
    end $$;
    create trigger refuse before insert on posthorn.${table} for each row execute function refuse();`)
}

async function acceptRows(table: 'events' | 'attempts'): Promise<void> {
  await postgres.query(`drop trigger refuse on posthorn.${table}`)
}

async function rejections(): Promise<number> {
  const [row] = await postgres.query('select last_value::int as count from rejections')
  return row.count
}

async function jobCount(): Promise<number> {
  const [row] = await postgres.query(
    `select count(*)::int as count from graphile_worker.jobs where task_identifier = 'posthorn:deliver'`,
  )
  return row.count
}
