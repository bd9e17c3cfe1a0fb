import { afterAll, beforeAll, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { countStates, createWebhook, publish } from './support/backlog.ts'

let receiver: Receiver
let posthorn: TestApp

beforeAll(async () => {
  receiver = await startReceiver()
  posthorn = await startTestApp({ trustedAuthorities: [receiver.authority] })
})
afterAll(async () => {
  await posthorn[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

test('a process whose worker had to begin anew while a receiver hung delivers on', async () => {
  const { database, tenant } = posthorn
  const { pool } = database
  const held: (() => void)[] = []
  let hanging = true
  receiver.answer = (response) => {
    if (hanging) held.push(() => response.end())
    else response.end()
  }
  await createWebhook(posthorn, receiver.url, { maxInFlight: 2 })
  await publish(pool, tenant.publicOrganizationId, 5)
  await receiver.arrival(2)

  const before = await workers()
  // As when other processes counted it as killed, after a while without connections.
  await pool.query('delete from posthorn.worker_pools')
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name like '%pool-liveness%'`,
  )
  // The old one writes itself down again, so only another id tells of a new one.
  await until(async () => (await workers()).some((id) => !before.includes(id)), 'a new worker runs')
  // What the old one runs is given up after 8 s, and given back.
  await until(() => receiver.received.length > 2, 'what hung is sent again', 20_000)
  hanging = false
  for (const answer of held) answer()
  await publish(pool, tenant.publicOrganizationId, 10, 5)
  await until(async () => (await countStates(pool))['succeeded'] === 15, 'all arrive', 30_000)

  async function workers(): Promise<string[]> {
    const { rows } = await pool.query<{ id: string }>('select id from posthorn.worker_pools')
    return rows.map(({ id }) => id)
  }
}, 90_000)
