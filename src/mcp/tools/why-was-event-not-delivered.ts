import { z } from 'zod'
import { eventId, nullableText, untrusted, webhookId } from '../fields.ts'
import { McpWhyNotDeliveredDocument } from '../generated/graphql.ts'
import { readTool } from '../tool.ts'
import { ToolError } from '../tool-error.ts'

export const whyWasEventNotDelivered = readTool({
  name: 'why_was_event_not_delivered',
  title: 'Why was an event not delivered?',
  description:
    'Says why an event has no delivery to a webhook, such as its filter, its event types or that it was disabled, or shows the delivery that it has.',
  scopes: ['deliveries:read'],
  reach: 'organization',
  input: z.object({ event_id: eventId, webhook_id: webhookId }),
  output: z.object({
    reason: z.string(),
    delivery: z
      .object({
        delivery_id: z.string(),
        state: z.string(),
        waits_for: nullableText,
        next_attempt_at: nullableText,
      })
      .nullable(),
    untrusted: untrusted.describe('detail: the reason with the condition that refused the event.'),
  }),
  async run({ event_id, webhook_id }, { execute }) {
    const { whyNotDelivered } = await execute(McpWhyNotDeliveredDocument, {
      eventId: event_id,
      webhookId: webhook_id,
    })
    if (whyNotDelivered === null) throw new ToolError('There is no such event or webhook.')
    const { reason, message, delivery } = whyNotDelivered
    return {
      summary: `The reason is ${reason}.`,
      build: () => ({
        reason,
        delivery: delivery && {
          delivery_id: delivery.id,
          state: delivery.state,
          waits_for: delivery.parkedReason,
          next_attempt_at: delivery.nextAttemptAt,
        },
        untrusted: { detail: message },
      }),
    }
  },
})
