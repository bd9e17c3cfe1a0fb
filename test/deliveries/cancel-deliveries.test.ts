import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { cancelDelivery } from '../../src/deliveries/delivery.ts'
import { type Api, openApi } from '../graphql/support/api.ts'
import { addWebhook, deliveryIds, publish } from '../graphql/support/rows.ts'
import { until } from '../support/until.ts'

let api: Api

beforeAll(async () => {
  api = await openApi()
})
afterAll(() => api[Symbol.asyncDispose]())

test('the audit log shows the state before a cancellation, also if an attempt was recorded meanwhile', async () => {
  const { pool, prisma } = api.database
  const { organizationId } = await api.tenant()
  await addWebhook(api, organizationId)
  await publish(api, organizationId)
  const [id = ''] = await deliveryIds(api.database, organizationId)
  const recording = await pool.connect()
  await recording.query('begin')
  await recording.query(
    'update posthorn.deliveries set attempt_count = attempt_count + 1 where id = $1',
    [parseId('delivery', id)],
  )
  const canceling = cancelDelivery({ prisma, sql: pool }, organizationId, id)
  await until(async () => {
    const { rowCount } = await pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rowCount
  }, 'the cancellation waits')
  await recording.query('commit')
  recording.release()
  await canceling
  const entry = await prisma.auditEntry.findFirstOrThrow({ where: { subjectId: id } })
  expect(entry).toMatchObject({ before: { state: 'retrying' }, after: { state: 'canceled' } })
})
