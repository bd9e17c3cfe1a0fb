import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant, JOINED, subscribe, TICKET } from '../support/factories.ts'

let database: Database
let organizationId: string

beforeEach(async () => {
  database = await createTestDatabase()
  organizationId = (await createTenant(database.prisma)).organizationId
})
afterEach(async () => await database[Symbol.asyncDispose]())

const POOL = 'pool-1'

test('as many jobs are taken as there are places, in the order of the events, and answered with their deliveries', async () => {
  for (let i = 0; i < 2; i++) await subscribe(database, organizationId, [JOINED])
  const stored = await insert([JOINED, TICKET, JOINED], 3)
  expect(stored.map(({ delivery_count }) => delivery_count)).toEqual([2, 0, 2])
  expect(stored.map(({ job_ids }) => job_ids?.length ?? 0)).toEqual([2, 0, 1])

  const answered = stored.flatMap((event) =>
    (event.job_ids ?? []).map((job, i) => ({
      job,
      delivery: event.delivery_ids?.[i],
      webhook: event.webhook_ids?.[i],
      revision: event.revisions?.[i],
      body: event.body,
    })),
  )
  const written = await read(
    `select job.id as job, d.id as delivery, d.webhook_id as webhook, w.revision, e.body
     from posthorn.deliveries as d
     join posthorn.webhooks as w on w.id = d.webhook_id
     join posthorn.events as e on e.id = d.event_id
     join graphile_worker._private_jobs as job on job.key = posthorn.type_id('msg', d.id)
     where not job.is_available order by d.id`,
  )
  expect(answered).toEqual(written)
  const jobs = await read(
    'select attempts, locked_by, locked_at = run_at as at_once from graphile_worker._private_jobs order by id',
  )
  const taken = { attempts: 1, locked_by: POOL, at_once: true }
  const free = { attempts: 0, locked_by: null, at_once: null }
  expect(jobs).toEqual([taken, taken, taken, free])
})

test('workers are told of those jobs alone that are not taken', async () => {
  for (let i = 0; i < 3; i++) await subscribe(database, organizationId, [JOINED])
  expect(await announced(() => insert([JOINED], 3))).toEqual([])
  expect(await announced(() => insert([JOINED], 1))).toEqual([2])
  expect(await announced(() => insert([JOINED], 0))).toEqual([3])
})

describe('no job is taken', () => {
  test('of a webhook that has a line', async () => {
    await subscribe(database, organizationId, [JOINED])
    await database.pool.query(
      `insert into posthorn.webhook_flows (webhook_id, line_since) select id, now() from posthorn.webhooks
       on conflict (webhook_id) do update set line_since = now()`,
    )
    expect(await insert([JOINED], 5)).toMatchObject([{ delivery_count: 1, job_ids: null }])
    expect(await takenJobs()).toBe(0)
  })

  test('of a webhook that takes one at a time', async () => {
    await subscribe(database, organizationId, [JOINED])
    await database.pool.query('update posthorn.webhooks set ordered = true')
    expect(await insert([JOINED], 5)).toMatchObject([{ delivery_count: 1, job_ids: null }])
    expect(await takenJobs()).toBe(0)
  })

  test('for an event that repeats another, and those beside it are answered with what is theirs', async () => {
    await subscribe(database, organizationId, [JOINED])
    const [first] = await insert([JOINED], 0, ['once'])
    const [before, again, after] = await insert([JOINED, JOINED, JOINED], 5, [null, 'once', null])
    expect(again).toMatchObject({ repeated: true, event_id: first?.event_id, body: null })
    expect(again?.job_ids).toBeNull()
    for (const event of [before, after]) {
      expect(event?.job_ids).toHaveLength(1)
      const [kept] = await read('select body from posthorn.events where id = $1', [event?.event_id])
      expect(event?.body).toBe(kept?.['body'])
    }
  })

  test('where the event is refused', async () => {
    await subscribe(database, organizationId, [JOINED])
    await insert([JOINED], 0, ['once'])
    await expect(insert([TICKET], 5, ['once'])).rejects.toMatchObject({ code: 'PH409' })
    expect(await takenJobs()).toBe(0)
  })
})

interface Stored {
  readonly event_id: string
  readonly delivery_count: number
  readonly repeated: boolean
  readonly body: string | null
  readonly job_ids: string[] | null
  readonly delivery_ids: string[] | null
  readonly webhook_ids: string[] | null
  readonly revisions: string[] | null
}

/** Stores an event of each type; answers what is answered for each. */
async function insert(
  types: readonly string[],
  take: number,
  keys: readonly (string | null)[] = types.map(() => null),
): Promise<Stored[]> {
  const { rows } = await database.pool.query<Stored>(
    `select * from posthorn.insert_events(
       array_fill($1::uuid, array[cardinality($2::text[])]), $2::text[],
       array_fill('{}'::text, array[cardinality($2::text[])]),
       array_fill(now(), array[cardinality($2::text[])]), $3::text[],
       array_fill(null::text, array[cardinality($2::text[])]), '{}', '{}', $4, $5)
     order by ordinal`,
    [organizationId, types, keys, POOL, take],
  )
  return rows
}

async function read(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  return (await database.pool.query(text, values)).rows
}

async function takenJobs(): Promise<number> {
  return (await read('select from graphile_worker._private_jobs where locked_at is not null'))
    .length
}

/** How many jobs workers were told of, in each announcement. */
async function announced(act: () => Promise<unknown>): Promise<number[]> {
  const counts: number[] = []
  const client = await database.pool.connect()
  client.on('notification', ({ payload = '' }) => counts.push(JSON.parse(payload).count))
  await client.query('listen "jobs:insert"')
  await act()
  // What was announced before comes first.
  await client.query('notify "jobs:insert", \'{"count":-1}\'')
  client.release(true)
  expect(counts.pop()).toBe(-1)
  return counts
}
