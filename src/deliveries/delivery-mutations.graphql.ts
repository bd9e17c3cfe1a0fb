import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { ConflictError, NotFoundError, ValidationError } from '../graphql/errors.ts'
import { changesNode } from '../graphql/portal-access.ts'
import { cancelDelivery, redeliver } from './delivery.ts'
import { rereadDelivery } from './find-deliveries.ts'
import { testDelivery } from './test-delivery.ts'

builder.mutationFields((t) => ({
  testDelivery: t.prismaField({
    type: 'Delivery',
    nullable: true,
    description:
      'Sends the example of an event type to one webhook and to no other: signed, guarded, retried and recorded like any delivery, and marked with `isTest`. The webhook must be enabled and subscribe to the type. Needs the scope `deliveries:write`, as `redeliver` does: it makes a known receiver be called, and publishes nothing.',
    authScopes: { scope: 'deliveries:write' },
    portal: changesNode('webhook', ({ webhookId }) => webhookId),
    errors: {
      types: [ValidationError, NotFoundError, ConflictError],
      dataField: { name: 'delivery', description: 'The delivery, pending.' },
      result: { description: 'An attempt is due.' },
      union: { description: 'What `testDelivery` answers with.' },
    },
    args: {
      webhookId: t.arg.id({ required: true, description: 'The id of the webhook: `wh_…`.' }),
      eventType: t.arg.string({
        required: true,
        description: 'The name of an event type in the catalogue that has an example.',
      }),
    },
    resolve: async (query, _root, { webhookId, eventType }, context) => {
      const { organizationId } = callerOf(context)
      const id = await testDelivery(context, organizationId, webhookId, eventType)
      return await rereadDelivery(context.prisma, organizationId, id, query)
    },
  }),

  redeliver: t.prismaField({
    type: 'Delivery',
    nullable: true,
    description:
      'Makes an attempt now, under the same `wh-id`. A finished delivery becomes pending again, with the whole retry schedule before it; of a pending one, the next attempt is brought forward. Where its webhook is over its cap or its rate, it is the next one in line; where it takes one delivery at a time, it waits for its turn. Needs the scope `deliveries:write`.',
    authScopes: { scope: 'deliveries:write' },
    portal: changesNode('delivery'),
    errors: {
      types: [NotFoundError, ConflictError],
      dataField: { name: 'delivery', description: 'The delivery, pending.' },
      result: { description: 'An attempt is due.' },
      union: { description: 'What `redeliver` answers with.' },
    },
    args: { id: t.arg.id({ required: true, description: 'The id of the delivery: `msg_…`.' }) },
    resolve: async (query, _root, { id }, context) => {
      const { organizationId } = callerOf(context)
      await redeliver(context, organizationId, id)
      return await rereadDelivery(context.prisma, organizationId, id, query)
    },
  }),

  cancelDelivery: t.prismaField({
    type: 'Delivery',
    nullable: true,
    description:
      'Makes no further attempt for a pending delivery. An attempt under way ends, and is recorded. Needs the scope `deliveries:write`.',
    authScopes: { scope: 'deliveries:write' },
    portal: changesNode('delivery'),
    errors: {
      types: [NotFoundError, ConflictError],
      dataField: { name: 'delivery', description: 'The delivery, canceled.' },
      result: { description: 'The delivery is canceled.' },
      union: { description: 'What `cancelDelivery` answers with.' },
    },
    args: { id: t.arg.id({ required: true, description: 'The id of the delivery: `msg_…`.' }) },
    resolve: async (query, _root, { id }, context) => {
      const { organizationId } = callerOf(context)
      await cancelDelivery(context, organizationId, id)
      return await rereadDelivery(context.prisma, organizationId, id, query)
    },
  }),
}))
