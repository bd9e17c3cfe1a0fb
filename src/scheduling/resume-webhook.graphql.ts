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
      'Ends the hold of a webhook without waiting for a successful probe. Its backlog is released: 10 deliveries in the first second, and twice as many in each following second. The webhook is on hold again after 10 more consecutive failures. Needs the scope `deliveries:write`.',
    authScopes: { scope: 'deliveries:write' },
    portal: changesNode('webhook'),
    errors: {
      types: [NotFoundError, ConflictError],
      dataField: { name: 'webhook', description: 'The webhook, no longer on hold.' },
      result: { description: 'The webhook is no longer on hold.' },
      union: { description: 'What `resumeWebhook` answers with.' },
    },
    args: { id: t.arg.id({ required: true, description: 'The id of the webhook: `wh_…`.' }) },
    resolve: async (query, _root, { id }, context) => {
      const { organizationId } = callerOf(context)
      await resumeWebhook(context, organizationId, id)
      return await rereadWebhook(context.prisma, organizationId, id, query)
    },
  }),
)
