import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { openStream, readOnce } from '../graphql/live-stream.ts'
import { streamsOfWebhook } from '../graphql/portal-access.ts'
import type { StreamItem } from '../live/subscriber.ts'
import { findAttemptsByIds, findDeliveriesByIds } from './find-by-ids.ts'

const WEBHOOK_ID = 'Limits the stream to this webhook: `wh_…`. Default: all webhooks.'

builder.subscriptionFields((t) => ({
  attemptRecorded: t.prismaField({
    type: 'Attempt',
    nullable: true,
    description:
      'Emits each attempt when it is recorded. Null if the attempt was deleted in the meantime. Needs the scope `deliveries:read`.',
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
      'Emits each delivery that finishes: it succeeded, is exhausted or was canceled. Null if the delivery was deleted in the meantime. Needs the scope `deliveries:read`.',
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
