import { beforeAll, expect, test } from 'vitest'
import { testEnvironment, useTestApp } from '../support/app.ts'
import { countRows } from '../support/count-rows.ts'
import { JOINED } from '../support/factories.ts'
import { type PosthornProcess, startPosthorn } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'

const WEBHOOKS = 3_000
const EVENTS = 6

const api = await useTestApp({ role: 'api' })

beforeAll(async () => {
  // On hold, so that the workers have nothing to do but to create deliveries.
  await api.database.pool.query(
    `with added as (
       insert into posthorn.webhooks (organization_id, url, enabled, event_subscriptions)
       select $1, 'https://example.com/' || i, true, array[$2] from generate_series(1, $3::int) as i returning id
     )
     insert into posthorn.webhook_schedules (webhook_id, backlog_since, on_hold_since, next_probe_at)
     select id, now(), now(), now() + interval '1 hour' from added`,
    [api.tenant.organizationId, JOINED, WEBHOOKS],
  )
})

test('events for many webhooks fan out completely, once to each, while their workers are killed', async () => {
  const published = await api.graphql(
    `mutation ($events: [PublishEventInput!]!) { publishEvents(input: { events: $events }) {
       ... on PublishEventsSuccess { publishedEvents { deliveryCount } } } }`,
    { events: Array.from({ length: EVENTS }, () => ({ type: JOINED, data: {} })) },
  )
  expect(published.publishEvents.publishedEvents).toEqual(
    Array.from({ length: EVENTS }, () => ({ deliveryCount: WEBHOOKS })),
  )
  let worker = startWorker()
  try {
    {
      await using _held = await holdLastPages()
      for (const share of [0.1, 0.5]) {
        const reached = share * WEBHOOKS * EVENTS
        await until(
          async () => (await countDeliveries()).all >= reached,
          'a part is created',
          60_000,
        )
        worker.child.kill('SIGKILL')
        await worker.ended
        expect((await countDeliveries()).all).toBeLessThan(WEBHOOKS * EVENTS)
        worker = startWorker()
      }
    }
    await until(async () => (await countFanOuts()) === 0, 'everything is created', 120_000)
  } finally {
    await worker[Symbol.asyncDispose]()
  }
  const all = WEBHOOKS * EVENTS
  expect(await countDeliveries()).toEqual({ all, distinct: all, parked: all })
})

function startWorker(): PosthornProcess {
  return startPosthorn(['start', '--role', 'worker'], {
    environment: testEnvironment(api.database.url),
  })
}

/** The last page of a fan-out waits, so that no worker creates everything before it is killed. */
async function holdLastPages(): Promise<AsyncDisposable> {
  const holder = await api.database.pool.connect()
  await holder.query(`
    create function public.wait() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(1); return old; end $$;
    create trigger wait before delete on posthorn.fan_outs for each row execute function public.wait()`)
  await holder.query('select pg_advisory_lock(1)')
  return {
    async [Symbol.asyncDispose]() {
      await holder.query('select pg_advisory_unlock(1)')
      holder.release()
    },
  }
}

async function countDeliveries() {
  const { rows } = await api.database.pool.query(
    `select count(*)::int as all, count(distinct (event_id, webhook_id))::int as distinct, count(parked_at)::int as parked
     from posthorn.deliveries`,
  )
  return rows[0] as { all: number; distinct: number; parked: number }
}

const countFanOuts = () => countRows(api.database.pool, 'posthorn.fan_outs')
