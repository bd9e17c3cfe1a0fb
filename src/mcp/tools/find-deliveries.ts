import { z } from 'zod'
import { DELIVERY_FILTER, toDeliveryFilter } from '../delivery-filter.ts'
import { nullableText } from '../fields.ts'
import { McpDeliveriesDocument } from '../generated/graphql.ts'
import { PAGE_INPUT, pageOf, pageOutput } from '../page.ts'
import { readTool } from '../tool.ts'

export const findDeliveries = readTool({
  name: 'find_deliveries',
  title: 'Find deliveries',
  description:
    'Finds deliveries by webhook, state, event type, time, the cause of any of their attempts, or a search key of the event, newest first.',
  scopes: ['deliveries:read'],
  reach: 'webhook',
  input: z.object({ ...DELIVERY_FILTER, ...PAGE_INPUT }),
  output: pageOutput(
    z.object({
      delivery_id: z.string(),
      event_id: nullableText,
      webhook_id: z.string(),
      event_type: z.string(),
      state: z.string(),
      waits_for: nullableText,
      is_test: z.boolean(),
      created_at: z.string(),
      finished_at: nullableText,
      next_attempt_at: nullableText,
      attempts: z.number().int(),
    }),
  ),
  async run({ limit, cursor, ...given }, { execute }) {
    const filter = toDeliveryFilter(given)
    const { deliveries } = await execute(McpDeliveriesDocument, {
      filter,
      first: limit,
      after: cursor ?? null,
    })
    const found = deliveries ?? { edges: [], pageInfo: { hasNextPage: false } }
    return {
      summary: `${found.edges.length} deliveries, newest first.`,
      build: (size) =>
        pageOf(found, size, (delivery) => ({
          delivery_id: delivery.id,
          event_id: delivery.event?.id ?? null,
          webhook_id: delivery.webhookId,
          event_type: delivery.eventType.name,
          state: delivery.state,
          waits_for: delivery.parkedReason,
          is_test: delivery.isTest,
          created_at: delivery.createdAt,
          finished_at: delivery.finishedAt,
          next_attempt_at: delivery.nextAttemptAt,
          attempts: delivery.attemptCount,
        })),
    }
  },
})
