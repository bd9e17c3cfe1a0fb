import { expect, test } from 'vitest'
import { openFullReceiver } from '../outbound/raw-receivers.ts'
import { countRows } from '../support/count-rows.ts'
import { until } from '../support/until.ts'
import { createWebhook, useApp } from './support/backlog.ts'

const environment = { POSTHORN_RETRY_SCHEDULE: '1h' }
const { receiver, posthorn, publish } = await useApp({ environment })

test('a dead webhook with 600 events and 200 attempts in flight does not delay a healthy one', async () => {
  const { database } = posthorn
  const failed = (condition: string) =>
    countRows(database.pool, `posthorn.attempts where status is null and error_code ${condition}`)
  // Accepts no connection.
  const { port } = await openFullReceiver()
  await createWebhook(posthorn, `https://127.0.0.1:${port}/`, { maxInFlight: 200 })
  await publish(600)
  await createWebhook(posthorn, `${receiver.url}healthy`)
  for (let event = 0; event < 3; event++) await publish(1)
  await until(() => receiver.received.length === 3, 'the healthy ones arrive')
  expect(await failed(`= 'connect_timed_out'`), 'they arrive before a dead one fails').toBe(0)
  await until(
    async () => (await failed(`= 'connect_timed_out'`)) >= 100,
    'the dead ones fail',
    30_000,
  )
  expect(await failed(`<> 'connect_timed_out'`)).toBe(0)
})
