import { describe, expect, test } from 'vitest'
import { countFilteredEvents } from '../../../src/webhooks/statistics.ts'
import { sharedDatabase } from '../../support/database.ts'
import { createTenant, JOINED, subscribe } from '../../support/factories.ts'

const MAX_BYTES = 256 * 1024

const database = await sharedDatabase()
const tenant = await createTenant(database.prisma)

const add = (filter: string, { organizationId } = tenant) =>
  subscribe(database, organizationId, [JOINED], { filter })

/** As much work as one filter may ask for: 20 conditions that look at each item of an array. */
const SCANNING = JSON.stringify({
  not: {
    any: Array.from({ length: 20 }, (_, i) => ({
      path: '$.items[*]',
      op: 'in',
      value: Array.from({ length: 100 }, (_, n) => `no-${i}-${n}`).slice(0, 60),
    })),
  },
})

for (let i = 0; i < 20; i++) await add(SCANNING)

async function publish(data: string, by = tenant, more = ''): Promise<number> {
  const { rows } = await database.pool.query<{ delivery_count: number }>(
    `select * from posthorn.publish_event($1, $2, $3::text${more})`,
    [by.publicOrganizationId, JOINED, data],
  )
  return rows[0]?.delivery_count ?? 0
}

async function undecided(): Promise<number> {
  while ((await countFilteredEvents(database.pool)) > 0);
  const { rows } = await database.pool.query<{ n: number }>(
    `select coalesce(sum(filter_undecided), 0)::int as n from posthorn.webhook_statistics where subject_id <> $1`,
    [tenant.organizationId],
  )
  return rows[0]?.n ?? 0
}

describe('data as large as may be, and filters that look at all of them', () => {
  test('are not decided, so that publishing does not wait: the event is delivered and counted', async () => {
    const items = `{"items":[${'1,'.repeat(MAX_BYTES / 2 - 100)}1]}`
    const before = await undecided()
    expect(await publish(items)).toBe(20)
    expect((await undecided()) - before).toBe(20)
    // Small data are decided.
    expect(await publish('{"items":["no-1-1"]}')).toBe(0)
    expect((await undecided()) - before).toBe(20)
  })

  test('count with the previous data, which a condition with changed reads too', async () => {
    const other = await createTenant(database.prisma)
    const condition = { path: '$.items', op: 'changed' }
    await add(JSON.stringify({ any: Array.from({ length: 20 }, () => condition) }), other)
    const items = (n: number) => `{"items":[${'1,'.repeat(n)}1]}`
    const publishAgain = (data: string) => publish(data, other, ', previous => ($3::text)::json')
    // 20 conditions of two steps for each of 4,960 values, in two texts of 80 lines.
    expect(await publishAgain(items(2_500))).toBe(1)
    expect(await publishAgain(items(2_300))).toBe(0)
  })
})

test.each([
  ['deep nesting', '['.repeat(6_000) + ']'.repeat(6_000)],
  ['a NUL', '{"items":["\\u0000"]}'],
  ['half of a character', '{"items":["\\ud800"]}'],
  ['a number beyond numeric', '{"items":[1e999999]}'],
  ['names of prototypes', '{"__proto__":{"items":[]},"constructor":1,"items":1}'],
  ['an empty name', '{"":{"":[]}}'],
])('%s in the data never stops publishing', async (_, data) => {
  expect(await publish(data)).toBe(20)
})

test.each([
  '") || (1 == 1)',
  '"; drop table posthorn.webhooks; --',
  '\\") ? (true',
  '$t[0]',
  '\u2028\u2029\u0001"\'',
])('the value %s is data, and no syntax of a path', async (value) => {
  const filter = JSON.stringify({ path: '$.hostile', op: 'equals', value })
  await add(JSON.stringify({ all: [JSON.parse(filter), JSON.parse(filter)] }))
  const baseline = 20
  const delivered = await publish(JSON.stringify({ hostile: value }))
  const refused = await publish(JSON.stringify({ hostile: 'other' }))
  expect(delivered - baseline).toBe(1)
  expect(refused - baseline).toBe(0)
})
