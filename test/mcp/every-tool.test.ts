import { describe, expect, test } from 'vitest'
import { MAX_ANSWER_BYTES } from '../../src/mcp/answer.ts'
import { TOOLS } from '../../src/mcp/tools.ts'
import { TICKET } from '../support/factories.ts'
import { useResource } from '../support/use-resource.ts'
import { connectAgent, textOf } from './agent.ts'
import { openWorld, type Subject } from './open-world.ts'

const world = await useResource(openWorld())
const { app, tenant } = world.posthorn
const agent = await useResource(connectAgent(app.url, tenant.token))

const NO_ID = '0'.repeat(26)
const HOUR_MS = 3_600_000
const hourAgo = () => new Date(Date.now() - HOUR_MS).toISOString()

interface Case {
  /** Arguments about a subject. */
  readonly args: (subject: Subject) => Record<string, unknown>
  /** A part of the answer about a subject. For a tool that changes something: of the first call. */
  readonly answer: (subject: Subject) => unknown
  /** Arguments that the tool refuses, and a part of its message. Null: it accepts every valid input. */
  readonly refused: [args: Record<string, unknown>, message: string] | null
}

/** A new tool needs an entry: whether it works, and what it refuses. */
const CASES: Readonly<Record<string, Case>> = {
  find_webhooks: {
    args: () => ({ filter: { search: '-url' } }),
    answer: ({ webhookId }) => ({
      webhooks: {
        totalCount: 2,
        items: expect.arrayContaining([
          expect.objectContaining({
            id: webhookId,
            lastFailure: expect.objectContaining({ status: 500, cause: '500' }),
          }),
        ]),
      },
    }),
    refused: [{ after: 'none' }, 'cursor'],
  },
  find_deliveries: {
    args: ({ webhookId }) => ({
      filter: {
        webhookIds: [webhookId],
        states: ['EXHAUSTED'],
        anyAttempt: { causes: ['500'] },
        since: hourAgo(),
      },
    }),
    answer: ({ deliveryId }) => ({ deliveries: { items: [{ id: deliveryId, attemptCount: 4 }] } }),
    refused: [{ filter: { states: ['LOST'] } }, 'states'],
  },
  find_attempts: {
    args: ({ deliveryId }) => ({ deliveryId, first: 3 }),
    answer: ({ deliveryId, attemptId }) => ({
      delivery: {
        id: deliveryId,
        state: 'EXHAUSTED',
        attempts: {
          items: [
            {
              id: attemptId,
              cause: '500',
              response: { untrusted: { body: expect.stringContaining('response of') } },
            },
            {},
            {},
          ],
          nextCursor: expect.any(String),
        },
      },
    }),
    refused: [{ deliveryId: 'msg_1' }, 'deliveryId'],
  },
  find_events: {
    args: ({ eventId }) => ({ filter: { id: eventId }, withPayload: true }),
    answer: ({ eventId }) => ({
      events: {
        items: [
          {
            id: eventId,
            deliveryCounts: { exhausted: 1 },
            untrusted: { dataText: expect.stringContaining('-payload') },
          },
        ],
        nextCursor: null,
      },
    }),
    refused: [{ filter: { since: 'yesterday' } }, 'since'],
  },
  why_not_delivered: {
    args: ({ eventId, webhookId }) => ({ eventId, webhookId }),
    answer: ({ deliveryId, webhookId }) => ({
      whyNotDelivered: {
        reason: 'DELIVERY_EXISTS',
        delivery: { id: deliveryId, attempts: { items: [{ cause: '500' }, {}, {}, {}] } },
      },
      webhook: { id: webhookId, health: { state: expect.any(String) } },
    }),
    refused: [{ eventId: `evt_${NO_ID}`, webhookId: `wh_${NO_ID}` }, 'There is no webhook'],
  },
  health: {
    args: () => ({}),
    answer: () => ({
      deliveryHealth: { webhooks: expect.any(Array), waiting: expect.any(Array) },
      webhooks: { items: expect.any(Array) },
      bulkTasks: { nodes: expect.any(Array) },
    }),
    refused: null,
  },
  redeliver: {
    args: ({ deliveryId }) => ({ ids: [deliveryId] }),
    answer: () => ({ done: false, would: { count: 1 } }),
    refused: [{}, 'rejected as invalid'],
  },
  send_test_event: {
    args: ({ webhookId }) => ({ webhookId, eventType: TICKET }),
    answer: ({ webhookId }) => ({ done: false, would: { id: webhookId } }),
    refused: [{ webhookId: `wh_${NO_ID}`, eventType: TICKET }, 'Nothing has this id'],
  },
  resume_webhook: {
    args: ({ webhookId }) => ({ webhookId }),
    answer: ({ webhookId }) => ({ done: false, would: { id: webhookId } }),
    refused: [{ webhookId: `wh_${NO_ID}` }, 'Nothing has this id'],
  },
}

const NAMES = TOOLS.map(({ name }) => name)

test('every tool is tested', () => {
  expect(Object.keys(CASES)).toEqual(NAMES)
})

describe.each(NAMES)('%s', (name) => {
  const { args, answer, refused } = CASES[name] as Case

  test('answers', async () => {
    const result = await agent.result(name, args(world.own))
    expect(result.isError, textOf(result)).toBeFalsy()
    expect(result.structuredContent).toMatchObject(answer(world.own) as object)
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(MAX_ANSWER_BYTES)
  })

  test.runIf(refused)('says why it refuses', async () => {
    const [given = {}, message = ''] = refused ?? []
    const result = await agent.result(name, given)
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain(message)
  })
})
