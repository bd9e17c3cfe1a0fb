import { afterAll, beforeAll, expect, test } from 'vitest'
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

test('after its worker runner was replaced while an endpoint hung, a process still delivers within the concurrency limit', async () => {
  const { pool } = posthorn.database
  const withheld: (() => void)[] = []
  let isHanging = true
  receiver.answer = (response) => {
    if (isHanging) withheld.push(() => response.end())
    else response.end()
  }
  await createWebhook(posthorn, receiver.url, { maxInFlight: 2 })
  await publish(pool, posthorn.tenant.publicOrganizationId, 5)
  await receiver.arrival(2)

  const before = await runners()
  // Simulates a rescue by another process.
  await pool.query('delete from posthorn.workers')
  await until(
    async () => (await runners()).some((id) => !before.includes(id)),
    'a new runner starts',
    30_000,
  )
  isHanging = false
  for (const answer of withheld) answer()
  await publish(pool, posthorn.tenant.publicOrganizationId, 10, 5)
  await until(async () => (await countStates(pool))['succeeded'] === 15, 'all arrive', 40_000)
  expect(withheld.length).toBeLessThanOrEqual(4)

  async function runners(): Promise<string[]> {
    const { rows } = await pool.query<{ id: string }>('select id from posthorn.workers')
    return rows.map(({ id }) => id)
  }
})
