import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Sql } from '../../src/db/client.ts'
import { Gate } from '../../src/flow/gate.ts'
import { createLineReleaser } from '../../src/flow/release-lines.ts'
import { createTakeSlot } from '../../src/flow/take-slot.ts'
import { parseId } from '../../src/ids.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { countWaiting, createWebhook, publish } from './support/backlog.ts'

let posthorn: TestApp
let webhookId: string

beforeAll(async () => {
  posthorn = await startTestApp({ role: 'api' })
})
afterAll(() => posthorn[Symbol.asyncDispose]())
beforeEach(async () => {
  const { pool } = posthorn.database
  await pool.query('update posthorn.webhooks set enabled = false')
  await pool.query(`delete from posthorn.webhook_schedules`)
  await pool.query(`delete from posthorn.deliveries`)
  await pool.query('delete from graphile_worker._private_jobs')
  const id = await createWebhook(posthorn, 'https://localhost:5000/')
  webhookId = parseId('webhook', id) as string
})

/** What a statement waits for is held by another connection until this is over; it would fail rather than wait. */
async function beside<Answer>(
  held: string,
  values: unknown[],
  meanwhile: (sql: Sql) => Promise<Answer>,
) {
  const { pool } = posthorn.database
  const holder = await pool.connect()
  const other = await pool.connect()
  try {
    await holder.query('begin')
    await holder.query(held, values)
    await other.query(`set lock_timeout = '2s'`)
    return await meanwhile(other)
  } finally {
    await holder.query('rollback')
    await other.query('reset lock_timeout')
    holder.release()
    other.release()
  }
}

const publishSome = (count: number) =>
  publish(posthorn.database.pool, posthorn.tenant.publicOrganizationId, count)

async function openLine(set = ''): Promise<void> {
  await posthorn.database.pool.query(
    `insert into posthorn.webhook_schedules as f (webhook_id, backlog_since) values ($1, now())
     on conflict (webhook_id) do update set backlog_since = now() ${set}`,
    [webhookId],
  )
}

test('deliveries are put in line beside somebody who cancels one of them, without waiting', async () => {
  const { pool } = posthorn.database
  await publishSome(5)
  const { rows } = await beside(
    'select from posthorn.deliveries where id = (select min(id::text)::uuid from posthorn.deliveries) for update',
    [],
    (sql) => sql.query('select posthorn.set_due_aside($1, 100) as moved', [webhookId]),
  )
  expect(rows).toEqual([{ moved: 4 }])
  expect(await countWaiting(pool)).toBe(4)
})

test('a line is released while others are tidied', async () => {
  await openLine()
  await publishSome(5)
  const { rows } = await beside('select posthorn.tidy_webhook_schedules()', [], (sql) =>
    sql.query('select posthorn.release_waiting($1, 2) as released', [webhookId]),
  )
  expect(rows).toEqual([{ released: 2 }])
})

test('a line that is found empty and filled by a publisher that did not know yet is looked at again', async () => {
  const { pool } = posthorn.database
  await openLine()
  await publishSome(5)
  // As it is when another process found it empty before that publisher committed.
  await pool.query(
    'update posthorn.webhook_schedules set backlog_since = null, backlog_drained_at = now()',
  )
  await pool.query('select posthorn.release_waiting($1, 2)', [webhookId])
  const { rows } = await pool.query(
    'select backlog_since is not null or backlog_drained_at is not null as looked_at from posthorn.webhook_schedules',
  )
  expect(rows).toEqual([{ looked_at: true }])
})

test('a line that nobody looks at is found again, and one of a deleted webhook is forgotten', async () => {
  const { pool } = posthorn.database
  await openLine()
  await publishSome(5)
  const flows = async () =>
    (await pool.query('select backlog_since is not null as open from posthorn.webhook_schedules'))
      .rows
  await pool.query('delete from posthorn.webhook_schedules')
  await pool.query('select posthorn.tidy_webhook_schedules()')
  expect(await flows()).toEqual([{ open: true }])

  await pool.query(
    'update posthorn.webhooks set enabled = false, deleted_at = now() where id = $1',
    [webhookId],
  )
  await pool.query('select posthorn.tidy_webhook_schedules()')
  expect(await flows()).toEqual([])
})

test('a probe leaves alone what somebody redelivers at the moment, and goes out afterwards', async () => {
  const { pool } = posthorn.database
  await openLine()
  await publishSome(1)
  await pool.query(
    'update posthorn.webhook_schedules set on_hold_since = now(), next_probe_at = now() where webhook_id = $1',
    [webhookId],
  )
  const probe = (sql: Sql) =>
    sql.query(`select posthorn.release_probe($1, now(), now() + interval '1 minute') as sent`, [
      webhookId,
    ])
  const { rows } = await beside('select from posthorn.deliveries for update', [], probe)
  expect(rows).toEqual([{ sent: false }])
  expect((await probe(pool)).rows).toEqual([{ sent: true }])
})

test('what was released too late for its moment gets another one, before those in line', async () => {
  const { pool } = posthorn.database
  await openLine()
  const take = createTakeSlot(pool)
  const [fresh, late, later] = await Promise.all([
    take({ webhookId, ratePerSecond: 10, released: false }),
    take({ webhookId, ratePerSecond: 10, released: true }),
    take({ webhookId, ratePerSecond: 10, released: true }),
  ])
  expect(fresh).toBeNull()
  expect(late).toBeLessThan(100)
  expect(later).toBeCloseTo((late ?? 0) + 100)
})

test('who asks for a release while one runs gets another one after it, which sees more', async () => {
  const { pool } = posthorn.database
  await openLine()
  let letGo = () => {}
  const answered = new Promise<void>((resolve) => {
    letGo = resolve
  })
  let asked = 0
  // The answer of the first statement is late.
  const sql = {
    async query(query: { text: string; values: unknown[] }) {
      const result = await pool.query(query)
      asked += 1
      if (asked === 1) await answered
      return result
    },
  } as Sql
  const gate = new Gate({ capacity: 10, onCrowded: () => {}, onRoom: () => {} })
  const lines = createLineReleaser(sql, gate, () => new Date())
  const first = lines.release(webhookId)
  await until(() => asked === 1, 'the first has looked')
  await openLine(', backlog_drained_at = null')
  await publishSome(3)
  const second = lines.release(webhookId)
  letGo()
  await Promise.all([first, second])
  expect(await countWaiting(pool)).toBe(0)
})

test('one look finds all that publishers added to a line that was found empty, and then no attempt asks for more', async () => {
  const { pool } = posthorn.database
  await openLine()
  await publishSome(5)
  // As it is when another process found it empty before that publisher committed.
  await pool.query(
    'update posthorn.webhook_schedules set backlog_since = null, backlog_drained_at = now()',
  )
  let asked = 0
  const gate = new Gate({
    capacity: 10,
    onCrowded: () => {},
    onRoom: () => {
      asked += 1
    },
  })
  const attempt = async () => {
    const entrant = { webhookId, organizationId: 'org', maxInFlight: 20 }
    expect(await gate.enter(entrant)).toBe('enter')
    gate.leave(entrant)
  }
  const lines = createLineReleaser(pool, gate, () => new Date())
  await lines.look()
  expect(await countWaiting(pool)).toBe(0)
  await lines.look()
  await attempt()
  expect(asked).toBe(0)

  await openLine(', backlog_drained_at = null')
  await publishSome(100)
  await lines.look()
  expect(await countWaiting(pool)).toBeGreaterThan(0)
  await attempt()
  expect(asked).toBe(1)
})
