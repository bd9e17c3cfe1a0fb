import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { ConflictError, NotFoundError } from '../graphql/errors.ts'
import { changesNode } from '../graphql/portal-access.ts'
import { rereadWebhook } from '../webhooks/find-webhooks.ts'
import { probeWebhook } from './probe-webhook.ts'

builder.mutationField('probeWebhook', (t) =>
  t.prismaField({
    type: 'Webhook',
    nullable: true,
    description:
      'Sends the next probe of a webhook on hold now, instead of at `nextProbeAt`. The probe is one of the oldest waiting deliveries; if it succeeds, the hold ends.',
    authScopes: { scope: 'deliveries:write' },
    portal: changesNode('webhook'),
    errors: {
      types: [NotFoundError, ConflictError],
      dataField: { name: 'webhook', description: 'The webhook, whose probe is about to be sent.' },
      result: { description: 'A worker sends the probe within a second or two.' },
      union: { description: 'The result of `probeWebhook`.' },
    },
    args: { id: t.arg.id({ required: true, description: 'The id of the webhook: `wh_…`.' }) },
    resolve: async (query, _root, { id }, context) => {
      const { organizationId } = callerOf(context)
      await probeWebhook(context, organizationId, id)
      return await rereadWebhook(context.prisma, organizationId, id, query)
    },
  }),
)
