import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { ConflictError, NotFoundError } from '../graphql/errors.ts'
import { changesNode } from '../graphql/portal-access.ts'
import { rereadWebhook } from '../webhooks/find-webhooks.ts'
import { probeWebhook, resumeWebhook } from './held-webhook.ts'

interface HoldMutation {
  readonly description: string
  readonly webhook: string
  readonly result: string
  readonly change: typeof probeWebhook
}

function addMutation(name: string, { description, webhook, result, change }: HoldMutation): void {
  builder.mutationField(name, (t) =>
    t.prismaField({
      type: 'Webhook',
      description,
      authScopes: { scope: 'deliveries:write' },
      portal: changesNode('webhook'),
      errors: {
        types: [NotFoundError, ConflictError],
        dataField: { name: 'webhook', description: webhook },
        result: { description: result },
      },
      args: { id: t.arg.id({ required: true, description: 'The id of the webhook: `wh_…`.' }) },
      resolve: async (query, _root, { id }, context) => {
        const { organizationId } = callerOf(context)
        await change(context, organizationId, id)
        return await rereadWebhook(context.prisma, organizationId, id, query)
      },
    }),
  )
}

addMutation('probeWebhook', {
  description:
    'Sends the next probe of a webhook on hold now, instead of at `nextProbeAt`. The probe is one of the oldest waiting deliveries; if it succeeds, the hold ends.',
  webhook: 'The webhook, whose probe is about to be sent.',
  result: 'A worker sends the probe within a second or two.',
  change: probeWebhook,
})

addMutation('resumeWebhook', {
  description:
    'Ends the hold of a webhook without waiting for a successful probe. The backlog is released with a slow start: 10 deliveries in the first second, then twice as many each second. After 10 more consecutive failures, or an answer that asks to wait, the webhook is on hold again.',
  webhook: 'The webhook, no longer on hold.',
  result: 'The webhook is no longer on hold.',
  change: resumeWebhook,
})
