import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { ConflictError, NotFoundError } from '../graphql/errors.ts'
import { changesNode } from '../graphql/portal-access.ts'
import { rereadWebhook } from '../webhooks/find-webhooks.ts'
import { resumeWebhook } from './resume-webhook.ts'

builder.mutationField('resumeWebhook', (t) =>
  t.prismaField({
    type: 'Webhook',
    nullable: true,
    description:
      'Ends the hold of a webhook without waiting for a successful probe. The backlog is released with a slow start: 10 deliveries in the first second, then twice as many each second. After 10 more consecutive failures, or an answer that asks to wait, the webhook is on hold again.',
    authScopes: { scope: 'deliveries:write' },
    portal: changesNode('webhook'),
    errors: {
      types: [NotFoundError, ConflictError],
      dataField: { name: 'webhook', description: 'The webhook, no longer on hold.' },
      result: { description: 'The webhook is no longer on hold.' },
      union: { description: 'The result of `resumeWebhook`.' },
    },
    args: { id: t.arg.id({ required: true, description: 'The id of the webhook: `wh_…`.' }) },
    resolve: async (query, _root, { id }, context) => {
      const { organizationId } = callerOf(context)
      await resumeWebhook(context, organizationId, id)
      return await rereadWebhook(context.prisma, organizationId, id, query)
    },
  }),
)
