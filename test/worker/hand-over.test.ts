import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createWebhook, publish } from '../flow/support/backlog.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

let receiver: Receiver
let posthorn: TestApp

beforeEach(async () => {
  receiver = await startReceiver()
  posthorn = await startTestApp({ trustedAuthorities: [receiver.authority] })
  await createWebhook(posthorn, receiver.url)
  await until(async () => (await poolIds()).length > 0, 'the worker has shown itself')
})
afterEach(async () => {
  await posthorn[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

const EVENTS = 20

test('what a process publishes it sends without fetching or loading it, while it has time', async () => {
  await countFetched()
  const loads = countLoads()
  for (let i = 0; i < EVENTS; i++) {
    await until(hasRoom, 'the worker has room')
    await publishHere(`event ${i}`, i % 2 === 0 ? `key ${i}` : null)
  }
  await until(async () => (await jobs()).length === 0, 'all are sent')
  expect(receiver.received).toHaveLength(EVENTS)
  expect(await states()).toEqual(new Array(EVENTS).fill('succeeded'))
  // The machine may have stood still, or been busy, a few times.
  expect(loads.count).toBeLessThan(EVENTS / 2)
  expect(await fetched()).toBeLessThan(EVENTS / 2)
})

test('what others publish is fetched and loaded', async () => {
  await countFetched()
  const loads = countLoads()
  await publish(posthorn.database.pool, posthorn.tenant.publicOrganizationId, 1)
  await receiver.arrival(1)
  expect(loads.count).toBe(1)
  expect(await fetched()).toBe(1)
})

test('an attempt that loads its delivery sends the same as the first, which did not', async () => {
  receiver.answer = (response) => {
    response.statusCode = receiver.received.length > 1 ? 200 : 500
    response.end()
  }
  await publishHere('first', null, '{"number":1.50, "text":"ü\\u0001 \\ud83d\\ude00"}')
  const [first, second] = [await receiver.arrival(1), await receiver.arrival(2)]
  expect(second.body).toEqual(first.body)
  const lasting = ({ headers }: typeof first) =>
    Object.entries(headers).filter(([name]) => !/timestamp|signature/.test(name))
  expect(lasting(second)).toEqual(lasting(first))
})

describe('an event that was stored while the connection broke', () => {
  test.each([
    ['at once', async () => {}],
    [
      'only when its worker has begun anew',
      async (before: readonly string[]) => {
        const isOver = async () => !(await poolIds()).some((id) => before.includes(id))
        await until(isOver, 'the old one has ended')
      },
    ],
  ])(
    'is sent, once, where it was stored %s',
    async (_when, wait) => {
      const before = await poolIds()
      const locking = await posthorn.database.pool.connect()
      await locking.query('begin; lock table posthorn.deliveries')
      const publishing: Promise<string>[] = []
      await until(async () => {
        // One that finds this process busy is stored for any worker, and waits as well.
        if (hasRoom()) publishing.push(publishHere('lost').then(() => 'published', String))
        return await breakOffPublishing()
      }, 'one waits for the lock')
      expect(await Promise.race(publishing)).toMatch(/unavailable/i)
      await wait(before)
      await locking.query('rollback')
      locking.release()
      await receiver.arrival(publishing.length)
      await until(async () => (await jobs()).length === 0, 'all are sent')
      expect(await states()).toEqual(publishing.map(() => 'succeeded'))
      expect(receiver.received).toHaveLength(publishing.length)
    },
    30_000,
  )
})

/** It has none while this process, with the tests and the receiver in it, is busy. */
function hasRoom(): boolean {
  const places = posthorn.app.services.handOver.reserve(1)
  places?.cancel()
  return places !== null
}

/** Publishes over GraphQL. */
async function publishHere(text: string, idempotencyKey: string | null = null, json?: string) {
  const data = json ?? JSON.stringify({ text })
  const response = await fetch(`${posthorn.app.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${posthorn.tenant.token}`,
      'content-type': 'application/json',
    },
    body: `{"query":"mutation ($key: String, $data: JSON!) { publishEvent(input: { type: \\"${JOINED}\\", idempotencyKey: $key, data: $data }) { __typename } }",
      "variables":{"key":${JSON.stringify(idempotencyKey)},"data":${data}}}`,
  })
  const answer = await response.text()
  if (!/PublishEventSuccess/.test(answer)) throw new Error(answer)
}

/** Counts the deliveries whose jobs are taken from now on, other than as they are made. */
async function countFetched(): Promise<void> {
  await sql(`
    create sequence public.fetched minvalue 0;
    create function public.count_fetched() returns trigger language plpgsql as $$
    begin perform nextval('public.fetched'); return new; end $$;
    create trigger count_fetched before update on graphile_worker._private_jobs
    for each row when (old.locked_at is null and new.locked_at is not null and starts_with(old.key, 'msg_'))
    execute function public.count_fetched()`)
}

async function fetched(): Promise<number> {
  const [row] = await sql('select last_value::int + is_called::int as count from public.fetched')
  return Number(row?.['count'])
}

/** Counts the statements that load deliveries from now on. */
function countLoads(): { readonly count: number } {
  const { pool } = posthorn.app.services.database
  const loads = { count: 0 }
  const query = pool.query.bind(pool) as (...args: unknown[]) => unknown
  pool.query = ((asked: { name?: string }, ...rest: unknown[]) => {
    if (asked.name === 'load_deliveries') loads.count += 1
    return query(asked, ...rest)
  }) as typeof pool.query
  return loads
}

/** Breaks the connection of a statement that waits for a lock and takes jobs, as seen from here: Postgres goes on. */
async function breakOffPublishing(): Promise<boolean> {
  const { rows } = await posthorn.database.pool.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like '%job_ids%'`,
  )
  const { _clients } = posthorn.app.services.database.pool as unknown as {
    _clients: { processID: number; connection: { stream: { destroy(): void } } }[]
  }
  const waiting = _clients.find(({ processID }) => processID === rows[0]?.pid)
  waiting?.connection.stream.destroy()
  return waiting !== undefined
}

async function sql(text: string): Promise<Record<string, unknown>[]> {
  return (await posthorn.database.pool.query(text)).rows
}

async function poolIds(): Promise<string[]> {
  return (await sql('select id from posthorn.worker_pools')).map(({ id }) => String(id))
}

async function states(): Promise<unknown[]> {
  return (await sql('select state from posthorn.deliveries')).map(({ state }) => state)
}

function jobs(): Promise<Record<string, unknown>[]> {
  return sql(
    `select locked_by from graphile_worker.jobs where task_identifier = 'deliver' and key is not null`,
  )
}
