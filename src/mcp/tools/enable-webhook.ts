import { z } from 'zod'
import { webhookId } from '../fields.ts'
import { McpEnableWebhookDocument } from '../generated/graphql.ts'
import { accepted } from '../rejected.ts'
import { writeTool } from '../tool.ts'
import { previewWebhook } from './webhook-preview.ts'

export const enableWebhook = writeTool({
  name: 'enable_webhook',
  title: 'Enable a webhook',
  description:
    'Switches a webhook on, so that its waiting deliveries are sent and new events lead to deliveries. The switch belongs to the partner. The first call only tells how many deliveries wait.',
  scopes: ['webhooks:write', 'webhooks:read', 'deliveries:read'],
  reach: 'webhook',
  isDestructive: false,
  isIdempotent: true,
  input: z.object({ webhook_id: webhookId }),
  async preview({ webhook_id }, context) {
    const data = await previewWebhook(webhook_id, context)
    return {
      summary: data.enabled
        ? 'The webhook is enabled already.'
        : `The webhook would be enabled, and ${data.waiting} waiting deliveries would be sent.`,
      data,
    }
  },
  async perform({ webhook_id }, { execute }) {
    const { updateWebhook } = await execute(McpEnableWebhookDocument, {
      id: webhook_id,
      enabled: true,
    })
    const { webhook } = accepted(updateWebhook)
    return { summary: 'The webhook is enabled.', data: { webhook } }
  },
})
