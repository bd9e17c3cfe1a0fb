import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { openStream, readOnce } from '../graphql/live-stream.ts'
import { streamsOfWebhook } from '../graphql/portal-access.ts'
import type { StreamItem } from '../live/subscriber.ts'
import { findWebhooksByIds } from './find-webhooks.ts'
import { WebhookState } from './webhook-health.graphql.ts'

const WebhookHealthChange = builder.objectRef<StreamItem>('WebhookHealthChange').implement({
  description: 'A change of the state of a webhook.',
  fields: (t) => ({
    state: t.field({
      type: WebhookState,
      description: 'The new state.',
      resolve: ({ liveEvent }) => (liveEvent.kind === 'health' ? liveEvent.health : 'healthy'),
    }),
    webhook: t.prismaField({
      type: 'Webhook',
      nullable: true,
      description:
        'The webhook. Null if it was deleted in the meantime. Needs the scope `webhooks:read`.',
      authScopes: { scope: 'webhooks:read' },
      resolve: async (query, event, _args, context, info) => {
        const { organizationId } = callerOf(context)
        const webhooks = await readOnce(event, info, (batch) => {
          const ids = batch.map(({ webhookId }) => webhookId)
          return findWebhooksByIds(context.prisma, organizationId, ids, query)
        })
        return webhooks.get(event.liveEvent.webhookId) ?? null
      },
    }),
  }),
})

builder.subscriptionField('webhookHealthChanged', (t) =>
  t.field({
    type: WebhookHealthChange,
    nullable: true,
    description: 'Emits each change of the state of a webhook. Needs the scope `webhooks:read`.',
    authScopes: { scope: 'webhooks:read' },
    portal: streamsOfWebhook,
    args: {
      webhookId: t.arg.id({
        description: 'Limits the stream to this webhook: `wh_…`. Default: all webhooks.',
      }),
    },
    subscribe: (_root, { webhookId }, context) =>
      openStream(context, { webhookId, ofHealth: true, wants: ({ kind }) => kind === 'health' }),
    resolve: (event) => event,
  }),
)
