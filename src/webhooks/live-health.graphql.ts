import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { openStream, readOnce } from '../graphql/live-stream.ts'
import { streamsOfWebhook } from '../graphql/portal-access.ts'
import type { LiveHealth } from '../live/live-event.ts'
import type { StreamItem } from '../live/subscriber.ts'
import { findWebhooksByIds } from './find-webhooks.ts'

const LiveHealthState = builder.enumType('WebhookHealthNow', {
  description: 'How a webhook does, going by its switch, its breaker and its newest attempt alone.',
  values: {
    HEALTHY: { value: 'healthy', description: 'Its newest attempt succeeded, or there is none.' },
    FAILING: { value: 'failing', description: 'Its newest attempt failed.' },
    ON_HOLD: {
      value: 'on_hold',
      description: 'It keeps failing, so its deliveries are parked until it answers again.',
    },
    DISABLED: { value: 'disabled', description: 'It is disabled.' },
  } satisfies Record<string, { value: LiveHealth; description: string }>,
})

const WebhookHealthChange = builder.objectRef<StreamItem>('WebhookHealthChange').implement({
  description: 'A change of how a webhook does.',
  fields: (t) => ({
    health: t.field({
      type: LiveHealthState,
      description: 'What it changed to.',
      resolve: ({ liveEvent }) => (liveEvent.kind === 'health' ? liveEvent.health : 'healthy'),
    }),
    webhook: t.prismaField({
      type: 'Webhook',
      nullable: true,
      description:
        'The webhook as it is now. Null when it was deleted meanwhile. Needs the scope `webhooks:read`.',
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
    description:
      'Each time a webhook begins to fail, is held back or released, works again, is disabled or enabled. Needs the scope `webhooks:read`.',
    authScopes: { scope: 'webhooks:read' },
    portal: streamsOfWebhook,
    args: { webhookId: t.arg.id({ description: 'Only this webhook: `wh_…`.' }) },
    subscribe: (_root, { webhookId }, context) =>
      openStream(context, {
        webhookId,
        needsHealth: true,
        filter: ({ kind }) => kind === 'health',
      }),
    resolve: (event) => event,
  }),
)
