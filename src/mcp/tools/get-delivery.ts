import { z } from 'zod'
import { ATTEMPT, attemptFacts } from '../attempt-facts.ts'
import { deliveryId, nullableText, untrusted } from '../fields.ts'
import { McpDeliveryDocument } from '../generated/graphql.ts'
import { pageOf } from '../page.ts'
import { readTool } from '../tool.ts'
import { ToolError } from '../tool-error.ts'

export const getDelivery = readTool({
  name: 'get_delivery',
  title: 'Get a delivery',
  description:
    'Shows one delivery: its state, what it waits for, when it is attempted next, and its attempts with the responses, newest first.',
  scopes: ['deliveries:read'],
  reach: 'delivery',
  input: z.object({
    delivery_id: deliveryId,
    limit: z.number().int().min(1).max(20).default(5).describe('The number of attempts: 1 to 20.'),
    cursor: z.string().max(1_000).optional().describe('The next_cursor of an earlier call.'),
  }),
  output: z.object({
    delivery_id: z.string(),
    event_id: nullableText,
    webhook_id: z.string(),
    event_type: z.string(),
    state: z.string(),
    waits_for: nullableText,
    parked_at: nullableText,
    is_test: z.boolean(),
    created_at: z.string(),
    finished_at: nullableText,
    next_attempt_at: nullableText,
    planned_attempts: z.array(z.string()),
    attempt_count: z.number().int(),
    attempts: z.array(ATTEMPT).max(20),
    next_cursor: nullableText,
    untrusted: untrusted.describe('url and description of the webhook.'),
  }),
  async run({ delivery_id, limit, cursor }, { execute }) {
    const { delivery } = await execute(McpDeliveryDocument, {
      id: delivery_id,
      first: limit,
      after: cursor ?? null,
    })
    if (delivery === null) throw new ToolError(`There is no delivery ${delivery_id}.`)
    const { attempts, webhook } = delivery
    const found = attempts ?? { edges: [], pageInfo: { hasNextPage: false } }
    const page = (size: number) => pageOf(found, size, attemptFacts)
    return {
      summary: `The delivery is ${delivery.state}, after ${delivery.attemptCount} attempts.`,
      build: (size) => ({
        delivery_id: delivery.id,
        event_id: delivery.event?.id ?? null,
        webhook_id: delivery.webhookId,
        event_type: delivery.eventType.name,
        state: delivery.state,
        waits_for: delivery.parkedReason,
        parked_at: delivery.parkedAt,
        is_test: delivery.isTest,
        created_at: delivery.createdAt,
        finished_at: delivery.finishedAt,
        next_attempt_at: delivery.nextAttemptAt,
        planned_attempts: delivery.plannedAttempts.slice(0, 5),
        attempt_count: delivery.attemptCount,
        attempts: page(size).items,
        next_cursor: page(size).next_cursor,
        untrusted: { url: webhook?.url, description: webhook?.description },
      }),
    }
  },
})
