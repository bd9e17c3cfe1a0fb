import { atLeastKey } from '../db/selection.ts'
import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { enumOf } from '../graphql/enum-of.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import {
  type Explanation,
  findNotDelivered,
  MAX_EXPLAINED,
  REASONS,
  whyNotDelivered,
} from './why-not-delivered.ts'

const NotDeliveredReason = enumOf(
  'NotDeliveredReason',
  'Why an event has no delivery to a webhook.',
  REASONS,
)

const DeliveryExplanation = builder.objectRef<Explanation>('DeliveryExplanation').implement({
  description: 'Why a webhook has no delivery of an event, or the delivery.',
  fields: (t) => ({
    reason: t.expose('reason', { type: NotDeliveredReason, description: 'The reason.' }),
    message: t.exposeString('detail', {
      description: 'The reason with its details, as English sentences.',
    }),
    delivery: t.prismaField({
      type: 'Delivery',
      nullable: true,
      description: 'The delivery. Null if there is none.',
      authScopes: { scope: 'deliveries:read' },
      resolve: (query, { deliveryUuid }, _args, { prisma }) =>
        deliveryUuid === null
          ? null
          : prisma.delivery.findUnique({ ...atLeastKey(query), where: { id: deliveryUuid } }),
    }),
  }),
})

const NotDelivered = builder.objectRef<Explanation>('NotDelivered').implement({
  description: 'Why a webhook of the type of an event has no delivery of it.',
  fields: (t) => ({
    webhookId: t.exposeID('webhookId', { description: 'The id of the webhook: `wh_…`.' }),
    reason: t.expose('reason', { type: NotDeliveredReason, description: 'The reason.' }),
    message: t.exposeString('detail', {
      description: 'The reason with its details, as English sentences.',
    }),
  }),
})

builder.prismaObjectFields('Event', (t) => ({
  notDelivered: t.field({
    type: [NotDelivered],
    semanticNonNull: true,
    description: `Why webhooks that subscribe to the type of the event have no delivery of it: the newest ${MAX_EXPLAINED} that subscribe. Empty if each has a delivery, and if none subscribes.`,
    authScopes: { scope: 'deliveries:read' },
    // The resolver explains only the webhook of a restricted session.
    portal: 'open',
    complexity: { field: 1, multiplier: MAX_EXPLAINED },
    select: { id: true, organizationId: true, type: true },
    resolve: (event, _args, context) =>
      findNotDelivered(context, event, callerOf(context).session?.webhookId ?? null),
  }),
}))

organizationFields((t) => ({
  whyNotDelivered: t.field({
    type: DeliveryExplanation,
    semanticNonNull: true,
    description:
      'Why an event has no delivery to a webhook: by the webhook as it was when the event was published, its filter included. An error with the code NOT_FOUND if the organization has no such event or webhook.',
    authScopes: { scope: 'deliveries:read' },
    args: {
      eventId: t.arg.id({ required: true, description: 'The id of the event: `evt_…`.' }),
      webhookId: t.arg.id({ required: true, description: 'The id of the webhook: `wh_…`.' }),
    },
    resolve: (parent, { eventId, webhookId }, context) =>
      whyNotDelivered(context, organizationOf(parent, context), eventId, webhookId),
  }),
}))
