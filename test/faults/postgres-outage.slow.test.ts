import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { until } from '../support/until.ts'
import { scrape, sumOf } from '../telemetry/support/exposition.ts'
import { useProxiedApp } from './proxied-app.ts'

const { postgres, proxy, receiver, app } = await useProxiedApp()

beforeEach(async () => {
  await until(isReady, 'the process is ready')
  await until(async () => (await jobCount()) === 0, 'no job is left')
  receiver.clear()
})

describe.each<[string, () => Promise<void>, () => Promise<unknown>, answersReads?: boolean]>([
  // First, as this case needs the connections that were opened at the start.
  ['the server is unreachable', async () => proxy.blackhole(), async () => proxy.restore()],
  ['Postgres is killed', () => postgres.kill(), () => postgres.start()],
  ['Postgres shuts down for maintenance', () => postgres.stop('fast'), () => postgres.start()],
  [
    'a failover leaves a read-only server',
    becomeStandby,
    () => postgres.query('select pg_promote()'),
    true,
  ],
])('while %s', (_case, startOutage, endOutage, answersReads = false) => {
  test('callers get 503 with Retry-After, the readiness check fails, and deliveries resume', async () => {
    await startOutage()
    try {
      const isNotReady = async () => (await statusOf('/readyz')) === 503
      await until(isNotReady, 'the readiness check fails', 10_000)
      const answers = await Promise.all([publish(), publish(), create(), list()])
      if (answersReads) expect(answers.pop()).toMatchObject({ status: 200 })
      for (const one of answers) expect(one).toEqual({ status: 503, retryAfter: '5' })
      expect(await statusOf('/healthz')).toBe(200)
      if (!answersReads) await until(async () => (await postgresUp()) === 0, 'the metrics show it')
      expect(receiver.received).toEqual([])
    } finally {
      // Also after a failure: the next tests need Postgres.
      await endOutage()
    }
    await until(async () => (await publish()).status === 200, 'an event is accepted', 20_000)
    await receiver.arrival(1)
    await until(isReady, 'the process is ready')
    await until(async () => (await postgresUp()) === 1, 'the metrics show that Postgres answers')
    await until(async () => (await jobCount()) === 0, 'no job is left')
  })
})

test('an attempt that ends during an outage of Postgres is recorded and not repeated', async () => {
  const pending = Promise.withResolvers<void>()
  receiver.answer = (response) => void pending.promise.then(() => response.end())
  await publish()
  await receiver.arrival(1)
  // Writes the claim of the job, which Postgres would lose: lost-commits.test.ts.
  await postgres.query('checkpoint')
  await postgres.kill()
  pending.resolve()
  receiver.answer = (response) => response.end()
  await postgres.start()
  await until(async () => (await jobCount()) === 0, 'no job is left')
  expect(receiver.received).toHaveLength(1)
  const [attempts] = await postgres.query(
    'select count(*)::int as count from posthorn.attempts where delivery_id = (select max(id::text)::uuid from posthorn.deliveries)',
  )
  expect(attempts).toEqual({ count: 1 })
})

test('while the disk is full (simulated by triggers), callers get 503, and no request is repeated', async () => {
  await rejectRows('events')
  expect(await publish()).toMatchObject({ status: 503, retryAfter: '5' })
  await acceptRows('events')
  const rejectedEvents = await rejections()

  await rejectRows('attempts')
  expect((await publish()).status).toBe(200)
  await receiver.arrival(1)
  await until(
    async () => (await rejections()) >= rejectedEvents + 3,
    'recording was tried three times',
  )
  expect(receiver.received).toHaveLength(1)
  await acceptRows('attempts')
  await until(async () => (await jobCount()) === 0, 'no job is left')
  expect(receiver.received).toHaveLength(1)
})

test('while others hold all connections of the server, callers get 503, and events are accepted again afterwards', async () => {
  await until(async () => (await publish()).status === 200, 'an event is accepted')
  const others: pg.Client[] = []
  await postgres.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'posthorn'`,
  )
  for (let isFull = false; !isFull || others.length < 50; ) {
    const client = new pg.Client({ connectionString: postgres.url }).on('error', () => {})
    isFull = await client.connect().then(
      () => false,
      () => true,
    )
    if (!isFull) others.push(client)
  }
  const answers = await Promise.all(Array.from({ length: 30 }, () => publish()))
  expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true)
  for (const client of others) await client.end()
  receiver.clear()
  await until(async () => (await publish()).status === 200, 'an event is accepted', 5_000)
  await until(() => receiver.received.length > 0, 'the event arrives')
})

async function answer(call: Promise<Response>) {
  const response = await call
  const retryAfter = response.headers.get('retry-after')
  await response.body?.cancel()
  return { status: response.status, retryAfter }
}

function publish() {
  const query = `mutation { publishEvent(input: { type: "${JOINED}", data: {} }) { __typename } }`
  const headers = {
    authorization: `Bearer ${app.tenant.token}`,
    'content-type': 'application/json',
  }
  const body = JSON.stringify({ query })
  return answer(fetch(`${app.app.url}/graphql`, { method: 'POST', headers, body }))
}

const WEBHOOK = { url: 'https://example.com/', event_subscriptions: [JOINED] }
const create = () => answer(app.rest('POST', '/webhooks', WEBHOOK))
const list = () => answer(app.rest('GET', '/webhooks'))
const statusOf = async (page: string) => (await answer(fetch(app.app.url + page))).status
const isReady = async () => (await statusOf('/readyz')) === 200
const postgresUp = async () => sumOf(await scrape(app.app.url), 'posthorn_postgres_up')

/** Every session of a standby is read-only, whatever its settings. */
async function becomeStandby(): Promise<void> {
  await postgres.stop('fast')
  await writeFile(path.join(postgres.cluster, 'standby.signal'), '')
  await postgres.start()
}

/** Raises the error with which Postgres fails to extend a table. */
async function rejectRows(table: 'events' | 'attempts'): Promise<void> {
  await postgres.query(`
    create sequence if not exists public.rejections;
    create or replace function public.reject() returns trigger language plpgsql as $$
    begin
      perform nextval('public.rejections');
      raise disk_full using message = 'could not extend file: No space left on device';
    end $$;
    create trigger reject before insert on posthorn.${table} for each row execute function public.reject();`)
}

async function acceptRows(table: 'events' | 'attempts'): Promise<void> {
  await postgres.query(`drop trigger reject on posthorn.${table}`)
}

async function rejections(): Promise<number> {
  const [row] = await postgres.query('select last_value::int as count from public.rejections')
  return row.count
}

async function jobCount(): Promise<number> {
  const [row] = await postgres.query(
    `select count(*)::int as count from graphile_worker.jobs where task_identifier = 'posthorn:deliver'`,
  )
  return row.count
}
