import { z } from 'zod'
import { eventType, webhookId } from '../fields.ts'
import { McpTestDeliveryDocument } from '../generated/graphql.ts'
import { accepted } from '../rejected.ts'
import { writeTool } from '../tool.ts'
import { previewWebhook } from './webhook-preview.ts'

export const sendTestEvent = writeTool({
  name: 'send_test_event',
  title: 'Send a test event',
  description:
    'Sends the example of an event type to one webhook, marked as a test, once and without retries. get_delivery then shows the result. The first call only tells the state of the webhook.',
  scopes: ['deliveries:write', 'deliveries:read', 'webhooks:read'],
  reach: 'webhook',
  isDestructive: false,
  isIdempotent: false,
  input: z.object({ webhook_id: webhookId, event_type: eventType }),
  async preview({ webhook_id }, context) {
    const data = await previewWebhook(webhook_id, context)
    return { summary: '1 test delivery would be sent.', data }
  },
  async perform({ webhook_id, event_type }, { execute }) {
    const { testDelivery } = await execute(McpTestDeliveryDocument, {
      id: webhook_id,
      eventType: event_type,
    })
    const { delivery } = accepted(testDelivery)
    return { summary: 'The test delivery is queued.', data: { delivery } }
  },
})
