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

test('what a process publishes it sends without fetching it, nor, at once, loading it', async () => {
  await sql(`
    create function public.refuse() returns trigger language plpgsql as $$
    begin raise exception 'Nothing is to be fetched.'; end $$;
    create trigger refuse before update on graphile_worker._private_jobs
    for each row when (old.locked_at is null and new.locked_at is not null) execute function public.refuse()`)
  const loads = countLoads()
  for (let i = 0; i < EVENTS; i++) await publishHere(`event ${i}`, i % 2 === 0 ? `key ${i}` : null)
  await until(async () => (await states()).every((state) => state === 'succeeded'), 'all succeed')
  expect(receiver.received).toHaveLength(EVENTS)
  await until(async () => (await jobs()).length === 0, 'their jobs are gone')
  // The machine may have stood still a few times.
  expect(loads.count).toBeLessThan(EVENTS / 4)

  // What others publish is for any worker, and stays.
  await publish(posthorn.database.pool, posthorn.tenant.publicOrganizationId, 1)
  await publishHere('one more')
  await receiver.arrival(EVENTS + 1)
  expect(await jobs()).toContainEqual({ locked_by: null })
  await sql(`drop trigger refuse on graphile_worker._private_jobs`)
  await receiver.arrival(EVENTS + 2)
  expect(loads.count).toBeGreaterThan(0)
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
      const publishing = publishHere('lost').then(() => 'published', String)
      await until(breakOffPublishing, 'it waits for the lock')
      expect(await publishing).toMatch(/unavailable/i)
      await wait(before)
      await locking.query('rollback')
      locking.release()
      await receiver.arrival(1)
      await until(async () => (await jobs()).length === 0, 'it is done')
      expect(await states()).toEqual(['succeeded'])
      expect(receiver.received).toHaveLength(1)
    },
    30_000,
  )
})

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

/** Breaks the connection of the statement that waits for a lock, as seen from here: Postgres goes on with it. */
async function breakOffPublishing(): Promise<boolean> {
  const { rows } = await posthorn.database.pool.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like '%insert_events%'`,
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
