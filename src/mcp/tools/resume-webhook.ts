import { z } from 'zod'
import { webhookId } from '../fields.ts'
import { McpResumeWebhookDocument } from '../generated/graphql.ts'
import { accepted } from '../rejected.ts'
import { writeTool } from '../tool.ts'
import { previewWebhook } from './webhook-preview.ts'

export const resumeWebhook = writeTool({
  name: 'resume_webhook',
  title: 'Resume a webhook',
  description:
    'Ends the hold of a webhook, so that its backlog is sent. Do it after the cause of the failures is fixed. The first call only tells how many deliveries wait.',
  scopes: ['deliveries:write', 'deliveries:read', 'webhooks:read'],
  reach: 'webhook',
  isDestructive: false,
  isIdempotent: true,
  input: z.object({ webhook_id: webhookId }),
  async preview({ webhook_id }, context) {
    const data = await previewWebhook(webhook_id, context)
    return {
      summary: `The hold would end, and ${data.waiting} waiting deliveries would be sent.`,
      data,
    }
  },
  async perform({ webhook_id }, { execute }) {
    const { resumeWebhook: result } = await execute(McpResumeWebhookDocument, { id: webhook_id })
    const { webhook } = accepted(result)
    return { summary: 'The webhook is resumed.', data: { webhook } }
  },
})
