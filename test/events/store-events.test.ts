import { beforeEach, describe, expect, test } from 'vitest'
import { isDatabaseUnavailable } from '../../src/db/faults.ts'
import { createCatalogue } from '../../src/event-types/event-type.ts'
import { createPublishEvents, type PublishedEvent } from '../../src/events/publish-events.ts'
import { useTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { until } from '../support/until.ts'

let tenant: Awaited<ReturnType<typeof createTenant>>

const database = await useTestDatabase()
const publishEvents = createPublishEvents(database.pool, createCatalogue(database.pool))
beforeEach(async () => {
  tenant = await createTenant(database.prisma)
})

/** Publishes an event with the text. */
async function publish(text: string, idempotencyKey?: string): Promise<PublishedEvent> {
  const event = { type: JOINED, data: { text }, ...(idempotencyKey && { idempotencyKey }) }
  const [published] = await publishEvents(tenant.organizationId, [event])
  return published as PublishedEvent
}

/** The number of stored events with each text. */
async function stored(): Promise<Record<string, number>> {
  const { rows } = await database.pool.query<{ text: string; n: number }>(
    `select data::json ->> 'text' as text, count(*)::int as n from posthorn.events where organization_id = $1 group by 1`,
    [tenant.organizationId],
  )
  return Object.fromEntries(rows.map(({ text, n }) => [text, n]))
}

const each = (texts: readonly string[], n = 1) => Object.fromEntries(texts.map((text) => [text, n]))

function expectFailures(
  results: readonly PromiseSettledResult<unknown>[],
  bad: (n: number) => boolean,
  reason: object,
): void {
  const failed = { status: 'rejected', reason }
  expect(results).toMatchObject(results.map((_, n) => (bad(n) ? failed : { status: 'fulfilled' })))
}
const many = (count: number) => Array.from({ length: count }, (_, n) => String(n))

test('an event that Postgres rejects fails alone, and the others are stored once', async () => {
  await database.pool.query(
    `alter table posthorn.events add constraint no_poison check (data not like '%poison%')`,
  )
  const bad = (n: number) => n % 50 === 7
  const texts = many(200).map((text, n) => (bad(n) ? `poison ${text}` : text))
  const results = await Promise.allSettled(texts.map((text) => publish(text)))

  await database.pool.query('alter table posthorn.events drop constraint no_poison')
  expectFailures(results, bad, { constraint: 'no_poison' })
  expect(await stored()).toEqual(each(texts.filter((_, n) => !bad(n))))
})

test.each(['', '\0', '\ud800', 'x'.repeat(256)])('the key %j is rejected', async (key) => {
  const events = [{ type: JOINED, data: {}, idempotencyKey: key }]
  await expect(publishEvents(tenant.organizationId, events)).rejects.toMatchObject({
    issues: [{ path: ['events', 0, 'idempotencyKey'], code: 'invalid_length' }],
  })
  expect(await publish('good', '\u{1f600}'.repeat(255))).toMatchObject({ duplicate: false })
})

test('a call whose API key has changed since it was read fails alone', async () => {
  const { organizationId } = tenant
  const version = async () => {
    const { rows } = await database.pool.query(
      `select k.id as "keyId", posthorn.api_key_version(k) as "keyVersion"
       from posthorn.api_keys as k where k.organization_id = $1`,
      [organizationId],
    )
    return rows[0]
  }
  const before = await version()
  await database.pool.query('update posthorn.api_keys set events_per_second = 7')
  const after = await version()
  const keys = [before, after, null]
  const results = await Promise.allSettled(
    many(60).map((text, n) =>
      publishEvents(organizationId, [{ type: JOINED, data: { text } }], keys[n % 3]),
    ),
  )
  const bad = (n: number) => keys[n % 3] === before
  expectFailures(results, bad, { code: 'PH401' })
  expect(await stored()).toEqual(each(many(60).filter((_, n) => !bad(n))))
})

describe('idempotency keys', () => {
  test('that conflict reject only their own calls', async () => {
    await publish('first', 'used')
    const bad = (n: number) => n % 10 === 3
    const results = await Promise.allSettled(
      many(40).map((text, n) => publish(text, bad(n) ? 'used' : text)),
    )
    expectFailures(results, bad, { code: 'conflict' })
    expect(await stored()).toEqual(each(['first', ...many(40).filter((_, n) => !bad(n))]))
  })

  test('used twice at once behave like consecutive calls', async () => {
    const [first, second] = await Promise.all([publish('same', 'twice'), publish('same', 'twice')])
    expect(first).toMatchObject({ duplicate: false })
    expect(second).toEqual({ id: first?.id, deliveryCount: 0, duplicate: true })

    const [kept, rejected] = await Promise.allSettled([
      publish('kept', 'other'),
      publish('rejected', 'other'),
    ])
    expect(kept).toMatchObject({ status: 'fulfilled', value: { duplicate: false } })
    expect(rejected).toMatchObject({
      status: 'rejected',
      reason: { code: 'conflict', issues: [{ path: ['events', 0, 'idempotencyKey'] }] },
    })
    expect(await stored()).toEqual(each(['same', 'kept']))
  })

  test('in an open transaction of the host application delay no other call', async () => {
    const host = await database.pool.connect()
    await host.query('begin')
    await host.query('select * from posthorn.publish_events($1, $2)', [
      tenant.publicOrganizationId,
      JSON.stringify([{ type: JOINED, data: { text: 'locked' }, idempotencyKey: 'locked' }]),
    ])
    // A call with the same key fails as unavailable until the host commits, and then returns the host's event.
    const retryable = expect(publish('locked', 'locked')).rejects.toSatisfy(isDatabaseUnavailable)
    const others = many(20).map((text) => publish(text, text))
    await Promise.all([...others, ...many(20).map((text) => publish(`without ${text}`))])
    await retryable
    await host.query('commit')
    host.release()
    expect(await publish('locked', 'locked')).toMatchObject({ duplicate: true })
    const without = many(20).map((text) => `without ${text}`)
    expect(await stored()).toEqual(each(['locked', ...many(20), ...without]))
  })
})

test('if Postgres drops the connections, every call fails as unavailable, and nothing is stored', async () => {
  const blocker = await database.pool.connect()
  await blocker.query('begin; lock table posthorn.events')
  let answered = false
  const calls = Promise.allSettled(many(300).map((text) => publish(text))).finally(() => {
    answered = true
  })
  await until(async () => {
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like '%insert_events%'`,
    )
    return answered
  }, 'every call has failed')
  await blocker.query('rollback')
  blocker.release()

  for (const result of await calls) {
    expect(result.status).toBe('rejected')
    expect(isDatabaseUnavailable((result as PromiseRejectedResult).reason)).toBe(true)
  }
  expect(await stored()).toEqual({})
  expect(await publish('after')).toMatchObject({ duplicate: false })
})
