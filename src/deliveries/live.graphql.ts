import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { openStream, readOnce } from '../graphql/live-stream.ts'
import { streamsOfWebhook } from '../graphql/portal-access.ts'
import type { StreamItem } from '../live/subscriber.ts'
import { findAttemptsByIds, findDeliveriesByIds } from './find-by-ids.ts'

const WEBHOOK_ID = 'Only those of this webhook: `wh_…`.'

builder.subscriptionFields((t) => ({
  attemptMade: t.prismaField({
    type: 'Attempt',
    nullable: true,
    description:
      'Each attempt, once it is recorded. Null for one that was erased meanwhile. Needs the scope `deliveries:read`.',
    authScopes: { scope: 'deliveries:read' },
    portal: streamsOfWebhook,
    args: { webhookId: t.arg.id({ description: WEBHOOK_ID }) },
    subscribe: (_root, { webhookId }, context) =>
      openStream(context, { webhookId, filter: ({ kind }) => kind === 'attempt' }) as never,
    resolve: async (query, parent, _args, context, info) => {
      const event = parent as unknown as StreamItem
      const { organizationId } = callerOf(context)
      const attempts = await readOnce(event, info, (batch) =>
        findAttemptsByIds(context.prisma, organizationId, batch.flatMap(attemptIdOf), query),
      )
      return attempts.get(attemptIdOf(event.liveEvent)[0] ?? '') ?? null
    },
  }),

  deliveryFinished: t.prismaField({
    type: 'Delivery',
    nullable: true,
    description:
      'Each delivery that is no longer pending: it succeeded, is exhausted or was canceled. Null for one that was erased meanwhile. Needs the scope `deliveries:read`.',
    authScopes: { scope: 'deliveries:read' },
    portal: streamsOfWebhook,
    args: { webhookId: t.arg.id({ description: WEBHOOK_ID }) },
    subscribe: (_root, { webhookId }, context) =>
      openStream(context, {
        webhookId,
        filter: (one) => one.kind === 'canceled' || (one.kind === 'attempt' && one.finished),
      }) as never,
    resolve: async (query, parent, _args, context, info) => {
      const event = parent as unknown as StreamItem
      const { organizationId } = callerOf(context)
      const deliveries = await readOnce(event, info, (batch) =>
        findDeliveriesByIds(context.prisma, organizationId, batch.flatMap(deliveryIdOf), query),
      )
      return deliveries.get(deliveryIdOf(event.liveEvent)[0] ?? '') ?? null
    },
  }),
}))

function attemptIdOf(liveEvent: StreamItem['liveEvent']): string[] {
  return liveEvent.kind === 'attempt' ? [liveEvent.attemptId] : []
}

function deliveryIdOf(liveEvent: StreamItem['liveEvent']): string[] {
  return liveEvent.kind === 'health' ? [] : [liveEvent.deliveryId]
}
