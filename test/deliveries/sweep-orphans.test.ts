import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Sql } from '../../src/db/client.ts'
import { sweepOrphans } from '../../src/deliveries/sweep-orphans.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'

const AT_ONCE = { pageSize: 3, lookAgainAfterMs: 0, olderThanMs: -60_000 }

let app: TestApp
beforeEach(async () => {
  app = await startTestApp({ role: 'api' })
  await app.rest('POST', '/webhooks', {
    url: 'https://example.com/',
    event_subscriptions: [JOINED],
    enabled: true,
  })
  const events = Array.from({ length: 10 }, (_, n) => ({ type: JOINED, data: { n } }))
  await app.app.services.publishEvents(app.tenant.organizationId, events)
})
afterEach(async () => await app[Symbol.asyncDispose]())

const query = async (statement: string) => (await app.database.pool.query(statement)).rows
const sweep = (options = {}) => sweepOrphans(app.database.pool, { ...AT_ONCE, ...options })
const jobs = 'graphile_worker._private_jobs'

test('where every pending delivery has its job, nothing is found and nothing touched', async () => {
  const before = await query(`select * from ${jobs} order by id`)
  expect(await sweep()).toEqual({ deliveries: [], jobs: [] })
  expect(await query(`select * from ${jobs} order by id`)).toEqual(before)
})

test.each([
  ['was lost', `delete from ${jobs} where key is not null`],
  ['failed as often as it may', `update ${jobs} set attempts = max_attempts`],
])('a pending delivery whose job %s has one again', async (_case, lose) => {
  await query(lose)
  expect((await sweep()).deliveries).toHaveLength(10)
  expect(await query(`select count(*)::int as count from ${jobs} where is_available`)).toEqual([
    { count: 10 },
  ])
  expect((await sweep()).deliveries).toEqual([])
})

test('what is pending for long is found too, and webhooks that are owed nothing cost no statement each', async () => {
  await query(`update posthorn.cursors set reached_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff'`)
  await query(`insert into posthorn.webhooks (organization_id, url, enabled, event_subscriptions)
    select organization_id, url, true, event_subscriptions from posthorn.webhooks, generate_series(1, 99)`)
  // Ten webhooks have one delivery each, four of which have finished.
  await query(`update posthorn.deliveries as d set webhook_id = w.id, is_backfilled = true,
      state = to_be.state, finished_at = case when to_be.state <> 'pending' then now() end,
      next_attempt_at = case when to_be.state = 'pending' then now() end
    from (select id, row_number() over (order by id) as n from posthorn.deliveries) as numbered
    join (select id, row_number() over (order by id desc) as n from posthorn.webhooks) as w using (n),
      lateral (select case n % 5 when 1 then 'canceled' when 3 then 'succeeded' else 'pending'
        end::posthorn.delivery_state as state) as to_be
    where d.id = numbered.id`)
  await query(`delete from ${jobs}`)
  let statements = 0
  const counting = {
    query: (text: string, values: unknown[]) => {
      statements++
      return app.database.pool.query(text, values)
    },
  }
  const { deliveries } = await sweepOrphans(counting as Sql, AT_ONCE)
  expect(deliveries).toHaveLength(6)
  expect(statements).toBeLessThan(25)
})

test('its job is due when its next attempt is, and not by itself when it waits in line', async () => {
  await query(`delete from ${jobs}`)
  await query(
    `update posthorn.deliveries set next_attempt_at = '2100-01-01T00:00:00Z', attempt_count = 1`,
  )
  await query(`update posthorn.deliveries set parked_at = now(), next_attempt_at = null
    where id = (select max(id::text)::uuid from posthorn.deliveries)`)
  expect((await sweep()).deliveries).toHaveLength(10)
  expect(
    await query(`select run_at = posthorn.never() as never, extract(year from run_at)::int as year,
      count(*)::int as count from ${jobs} group by 1, 2 order by 2`),
  ).toEqual([
    { never: false, year: 2100, count: 9 },
    { never: true, year: 9999, count: 1 },
  ])
})

test('a job whose delivery has finished, is gone, or that was replaced, goes; one that runs stays', async () => {
  await query(
    `update posthorn.deliveries set state = 'succeeded', finished_at = now(), next_attempt_at = null`,
  )
  await query(
    `update ${jobs} set locked_at = now(), locked_by = 'pool' where id = (select min(id) from ${jobs})`,
  )
  await query(`update ${jobs} set key = null where id = (select max(id) from ${jobs})`)
  expect((await sweep()).jobs).toHaveLength(9)
  expect(await query(`select locked_by from ${jobs}`)).toEqual([{ locked_by: 'pool' }])
})

test('what is young is left alone', async () => {
  await query(`delete from ${jobs}`)
  expect(await sweep({ olderThanMs: 60_000 })).toEqual({ deliveries: [], jobs: [] })
})

test('what is mended before the second look is not mended twice', async () => {
  await query(`delete from ${jobs}`)
  const sweeping = sweep({ lookAgainAfterMs: 2_000 })
  await query(
    `select posthorn.add_deliver_jobs(array_agg(id), array_agg(now())) from posthorn.deliveries`,
  )
  expect((await sweeping).deliveries).toEqual([])
})
