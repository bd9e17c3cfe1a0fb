import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { putOnHold } from '../../src/scheduling/circuit-breaker.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { useTestApp } from '../support/app.ts'
import { countRows } from '../support/count-rows.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { deliveryJobs } from '../support/jobs.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'

/* Deliveries of failing webhooks in a job dashboard that knows graphile-worker but not Posthorn. */
const RETRYING = 40
const EXHAUSTED = 30
const PARKED = 30

let retrying: string
let exhausted: string
let onHold: string

const receiver = await useResource(startReceiver())
const posthorn = await useTestApp({
  trustedAuthorities: [receiver.authority],
  environment: { POSTHORN_RETRY_SCHEDULE: '1h,2h,4h' },
})
const { pool } = posthorn.database
const query = (text: string, values: unknown[] = []) => pool.query(text, values)
const { origin } = new URL(receiver.url)

beforeAll(async () => {
  receiver.answer = (response) => response.writeHead(503).end()
  retrying = await register()
  await publish(RETRYING)
  await unsubscribe(retrying)
  exhausted = await register()
  await query(
    `update posthorn.webhooks set own_retry_schedule = true, retry_schedule_seconds = '{}', revision = revision + 1
     where id = $1`,
    [parseId('webhook', exhausted)],
  )
  await publish(EXHAUSTED)
  await unsubscribe(exhausted)
  onHold = await register()
  await putOnHold(pool, parseId('webhook', onHold) as string)
  await publish(PARKED)
  const attempted = () => countRows(pool, 'posthorn.deliveries where attempt_count = 1')
  await until(
    async () => (await attempted()) === RETRYING + EXHAUSTED,
    'every delivery that is not parked has one attempt',
  )
  await until(
    async () => (await deliveryJobs(pool)).every(({ lockedBy }) => !lockedBy),
    'no job runs',
  )
})

test('the queries of docs/operate/monitor.md answer what they say', async () => {
  const page = readFileSync('docs/operate/monitor.md', 'utf8')
  const [queries = ''] = /^## Queries$.*?^## /ms.exec(page) ?? []
  const blocks = [...queries.matchAll(/^```sql\n(.*?)^```/gms)].map(([, sql = '']) => sql)
  const answers = await Promise.all(blocks.map(async (sql) => (await query(sql)).rows))
  expect(answers).toHaveLength(5)
  const [counts, failing, endpoints, waiting, backlogs] = answers
  expect(counts).toContainEqual({
    task_identifier: 'posthorn:deliver',
    running: '0',
    failed: String(EXHAUSTED),
    retrying: String(RETRYING),
    queued: '0',
  })
  expect(failing).toHaveLength(50)
  expect(failing?.[0]).toMatchObject({
    delivery: expect.stringMatching(/^msg_/),
    last_error: expect.stringContaining(`HTTP 503 from ${origin} (attempt 1 of `),
  })
  expect(endpoints).toEqual([{ endpoint: origin, count: String(RETRYING + EXHAUSTED) }])
  expect(waiting).toHaveLength(1)
  expect(backlogs).toMatchObject([{ webhook_id: onHold, parked: String(PARKED) }])
})

describe('posthorn.webhook_backlogs', () => {
  test('shows the scheduled retries of a failing webhook, and its last error', async () => {
    expect(await backlogOf(retrying)).toMatchObject({
      ...{ parked: '0', scheduled: String(RETRYING), next_attempt_at: expect.any(Date) },
      ...{ on_hold_since: null, failing_since: expect.any(Date), consecutive_failures: RETRYING },
      last_error: `HTTP 503 from ${origin}`,
    })
    const given = { scheduled: '0', next_attempt_at: null, consecutive_failures: EXHAUSTED }
    expect(await backlogOf(exhausted)).toMatchObject(given)
  })

  test('shows the parked deliveries of a webhook on hold, the oldest, and the next probe', async () => {
    const { rows } = await query('select min(parked_at) as oldest from posthorn.deliveries')
    expect(await backlogOf(onHold)).toMatchObject({
      enabled: true,
      parked: String(PARKED),
      oldest_parked_at: rows[0].oldest,
      scheduled: '0',
      on_hold_since: expect.any(Date),
      on_hold_reason: 'failing',
      next_probe_at: expect.any(Date),
    })
  })
})

const register = () => createWebhook(posthorn, receiver.url)

/** The next events go only to the webhook that is registered next. */
async function unsubscribe(webhookId: string): Promise<void> {
  await query('update posthorn.webhooks set event_subscriptions = array[$2] where id = $1', [
    parseId('webhook', webhookId),
    TICKET,
  ])
}

async function publish(count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => ({ type: JOINED, data: { n } }))
  await posthorn.services.publishEvents(posthorn.tenant.organizationId, events)
}

async function backlogOf(webhookId: string) {
  const { rows } = await query('select * from posthorn.webhook_backlogs where webhook_id = $1', [
    webhookId,
  ])
  return rows[0]
}
