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

  test.each<[string, () => Record<string, unknown>]>([
    ['find_webhooks', () => ({ first: 50 })],
    ['health', () => ({})],
    ['find_deliveries', () => ({ filter: { states: ['EXHAUSTED'] }, first: 50 })],
    ['find_attempts', () => ({ filter: { causes: ['500'], webhookIds: [ids.webhook] } })],
    ['find_attempts', () => ({ deliveryId: ids.delivery })],
    ['find_events', () => ({ filter: { type: TICKET }, first: 50 })],
    [
      'find_events',
      () => ({ filter: { type: JOINED, key: { path: '$.customer', equals: 'c77' } } }),
    ],
    ['why_not_delivered', () => ({ eventId: ids.event, webhookId: ids.webhook })],
    ['redeliver', () => ({ filter: { webhookIds: [ids.webhook], states: ['EXHAUSTED'] } })],
    ['redeliver', () => ({ filter: { webhookIds: [ids.webhook], states: ['SUCCEEDED'] } })],
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
