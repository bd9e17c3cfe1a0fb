import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { ConflictError, NotFoundError } from '../graphql/errors.ts'
import { rereadWebhook } from '../webhooks/find-webhooks.ts'
import { resumeWebhook } from './release-webhook.ts'

builder.mutationField('resumeWebhook', (t) =>
  t.prismaField({
    type: 'Webhook',
    nullable: true,
    description:
      'Sends what is held back of a webhook that kept failing, without waiting until it is found to work again: 10 deliveries in the first second, twice as many in each that follows. If 10 more attempts in a row fail, they are held back again. Needs the scope `deliveries:write`.',
    authScopes: { scope: 'deliveries:write' },
    errors: {
      types: [NotFoundError, ConflictError],
      dataField: { name: 'webhook', description: 'The webhook, no longer held.' },
      result: { description: 'The deliveries go out.' },
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
