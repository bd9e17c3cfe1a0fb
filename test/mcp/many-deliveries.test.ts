import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publicId } from '../../src/db/ids.ts'
import { MAX_ANSWER_BYTES } from '../../src/mcp/answer.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { optional } from '../support/left-out.ts'
import { backfillAll, fillDeliveries, fillSearchKeys } from '../support/many-deliveries.ts'
import { type Agent, connectAgent, textOf } from './agent.ts'

/** `npm run test:long` runs these. Times are printed but not checked, because other work can share the machine. */
const notLong = process.env['POSTHORN_TEST_LONG']
  ? null
  : 'npm run test:long fills a database with a million deliveries'

const COUNT = 1_000_000
const CALLS = 5

describe('with a million deliveries', { ...optional(notLong), timeout: 1_200_000 }, () => {
  let posthorn: TestApp
  let agent: Agent
  let ids: Record<'webhook' | 'delivery' | 'event', string>
  const times: string[] = []

  beforeAll(async () => {
    posthorn = await startTestApp({ role: 'api', environment: { POSTHORN_MCP: 'write' } })
    const { pool } = posthorn.database
    const { webhooks } = await fillDeliveries(pool, posthorn.tenant.organizationId, COUNT)
    await fillSearchKeys(pool, posthorn.tenant.organizationId)
    await pool.query(
      'vacuum (analyze) posthorn.events, posthorn.event_keys, posthorn.deliveries, posthorn.attempts',
    )
    await backfillAll(pool)
    const { rows } = await pool.query<{ id: string; event_id: string }>(
      "select id, event_id from posthorn.deliveries where state = 'exhausted' limit 1",
    )
    ids = {
      webhook: publicId('webhook', webhooks[0] as string),
      delivery: publicId('delivery', rows[0]?.id as string),
      event: publicId('event', rows[0]?.event_id as string),
    }
    agent = await connectAgent(posthorn.app.url, posthorn.tenant.token)
  }, 1_200_000)
  afterAll(async () => {
    console.log(times.join('\n'))
    await agent[Symbol.asyncDispose]()
    await posthorn[Symbol.asyncDispose]()
  })

  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

  test.each<[string, () => Record<string, unknown>]>([
    ['list_webhooks', () => ({ in_trouble: true })],
    ['list_webhooks', () => ({ limit: 50 })],
    ['why_does_webhook_fail', () => ({ webhook_id: ids.webhook })],
    ['what_waits', () => ({})],
    ['list_failures', () => ({ since: daysAgo(30) })],
    ['list_incidents', () => ({})],
    ['find_deliveries', () => ({ states: ['EXHAUSTED'], limit: 50 })],
    ['find_deliveries', () => ({ causes: ['500'], webhook_id: ids.webhook, limit: 50 })],
    ['get_delivery', () => ({ delivery_id: ids.delivery })],
    ['find_events', () => ({ event_type: TICKET, limit: 50 })],
    ['find_events', () => ({ contains: 'nowhere' })],
    ['find_events', () => ({ event_type: JOINED, key: { path: '$.customer', equals: 'c77' } })],
    ['get_event', () => ({ event_id: ids.event })],
    ['why_was_event_not_delivered', () => ({ event_id: ids.event, webhook_id: ids.webhook })],
    ['list_event_types', () => ({})],
    ['try_filter', () => ({ event_types: [JOINED], filter: '{"path":"$.n","op":"exists"}' })],
    ['redeliver', () => ({ webhook_id: ids.webhook, states: ['EXHAUSTED'] })],
    ['redeliver', () => ({ webhook_id: ids.webhook, states: ['SUCCEEDED'] })],
    ['recover', () => ({ webhook_id: ids.webhook, since: daysAgo(29) })],
    ['cancel', () => ({ webhook_id: ids.webhook })],
  ])('%s answers within the bounds', async (name, args) => {
    const measured: number[] = []
    for (let i = 0; i < CALLS; i++) {
      const startedAt = performance.now()
      const result = await agent.result(name, args())
      measured.push(Math.round(performance.now() - startedAt))
      expect(result.isError, textOf(result)).toBeFalsy()
      expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(MAX_ANSWER_BYTES)
    }
    times.push(`${name} ${JSON.stringify(args())}: ${measured.join(', ')} ms`)
  })
})
