import { builder } from '../graphql/builder.ts'
import { countParked, MAX_COUNTED_PARKED } from '../webhooks/count-parked.ts'
import { findOldestParked } from './find-oldest-parked.ts'

/** The uuid of its webhook. */
const WebhookBacklog = builder.objectRef<string>('WebhookBacklog').implement({
  description:
    'The deliveries that wait for a webhook, because it is disabled, on hold, at its concurrency limit or rate limit, or ordered.',
  fields: (t) => ({
    count: t.int({
      description: `The number of waiting deliveries. Counts at most ${MAX_COUNTED_PARKED.toLocaleString('en')}.`,
      resolve: (webhookId, _args, context, info) =>
        context.perField(info, (ids: string[]) => countParked(context.sql, ids))(webhookId),
    }),
    oldest: t.prismaField({
      type: 'Delivery',
      nullable: true,
      description: 'The waiting delivery of the oldest event. Null if none waits.',
      authScopes: { scope: 'deliveries:read' },
      resolve: (query, webhookId, _args, context, info) =>
        context.perField(info, (ids: string[]) => findOldestParked(context, ids, query))(webhookId),
    }),
  }),
})

builder.prismaObjectFields('Webhook', (t) => ({
  backlog: t.field({
    type: WebhookBacklog,
    semanticNonNull: true,
    description: 'The backlog: the deliveries that are `WAITING`.',
    authScopes: { scope: 'deliveries:read' },
    select: { id: true },
    resolve: ({ id }) => id,
  }),
}))
