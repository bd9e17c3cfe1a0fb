import { afterAll, beforeAll, expect, test } from 'vitest'
import { countWaiting, createWebhook, publish } from '../flow/support/backlog.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const BACKLOG = 10_000
const FETCHES = 20

let receiver: Receiver
let posthorn: TestApp

beforeAll(async () => {
  receiver = await startReceiver()
  receiver.answer = (response, { path }) => void (path === '/hangs' || response.end())
  posthorn = await startTestApp({ trustedAuthorities: [receiver.authority] })
})
afterAll(async () => {
  await posthorn[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

test('jobs are fetched and completed by index while thousands wait in line', async () => {
  const { pool } = posthorn.database
  const organization = posthorn.tenant.publicOrganizationId
  const hanging = await createWebhook(posthorn, `${receiver.url}hangs`)
  await publish(pool, organization, BACKLOG)
  await until(async () => (await countWaiting(pool)) > BACKLOG * 0.9, 'nearly all wait in line')
  await posthorn.rest('PUT', `/webhooks/${hanging}`, { enabled: false })
  await createWebhook(posthorn, receiver.url)

  const before = await reads()
  const arrivals = () => receiver.received.filter(({ path }) => path === '/').length
  for (let i = 1; i <= FETCHES; i++) {
    await publish(pool, organization, 1, BACKLOG + i)
    await until(() => arrivals() === i, 'it arrives')
  }
  // Sessions tell the server what they read every second.
  await until(async () => (await reads()).lookUps >= before.lookUps + FETCHES, 'it is told')
  expect((await reads()).rowsScanned - before.rowsScanned).toBeLessThan(BACKLOG)
})

/** What was read of the jobs so far: by index, and row by row. */
async function reads(): Promise<{ lookUps: number; rowsScanned: number }> {
  const { rows } = await posthorn.database.pool.query(
    `select idx_scan::int as "lookUps", seq_tup_read::int as "rowsScanned" from pg_stat_user_tables
     where schemaname = 'graphile_worker' and relname = '_private_jobs'`,
  )
  return rows[0]
}
