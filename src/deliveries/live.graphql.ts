import type { GraphQLResolveInfo } from 'graphql'
import { requireId } from '../db/ids.ts'
import { builder } from '../graphql/builder.ts'
import { openStream, readOnce } from '../graphql/live-stream.ts'
import { streamsOfWebhook } from '../graphql/portal-access.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import { MAX_MISSED, type StreamItem } from '../streams/live/stream.ts'
import { findAttemptsByIds } from './attempts/find-attempts.ts'
import { findDeliveriesByIds } from './find-deliveries.ts'
import { attemptTopic, finishedTopic, type LiveDelivery } from './live-topics.ts'

const WEBHOOK_ID = 'Limits the stream to this webhook: `wh_…`. Default: all webhooks.'

const RESUMING = `Those of the 5 seconds before are sent again, because several processes record at the same time; recognize them by \`id\`. After more than ${MAX_MISSED.toLocaleString('en')} missed attempts, the error has the code \`RELOAD_REQUIRED\`. Default: the stream begins now.`

builder.subscriptionFields((t) => ({
  attemptRecorded: t.prismaField({
    type: 'Attempt',
    nullable: true,
    description:
      'Emits each attempt when it is recorded. Null if the attempt was deleted in the meantime. The state of its webhook is evaluated seconds later: to show the state, subscribe to `webhookHealthChanged` too.',
    authScopes: { scope: 'deliveries:read' },
    portal: streamsOfWebhook,
    args: {
      webhookId: t.arg.id({ description: WEBHOOK_ID }),
      after: t.arg.id({
        description: `The id of an attempt, \`att_…\`, such as the last one that the client received. The stream begins with the attempts recorded after this one. ${RESUMING}`,
      }),
    },
    subscribe: (_root, { webhookId, after }, context) =>
      openStream(context, {
        topic: attemptTopic,
        webhookId,
        after: after == null ? null : timestampOf(requireId('attempt', after, ['after'])),
      }) as never,
    resolve: (query, parent, _args, context, info) =>
      rowOf(parent, 'position', info, (uuids) =>
        findAttemptsByIds(context.prisma, context.caller.organizationId, uuids, query),
      ),
  }),

  deliveryFinished: t.prismaField({
    type: 'Delivery',
    nullable: true,
    description:
      'Emits each delivery that finishes: it succeeded, is exhausted or was canceled. Null if the delivery was deleted in the meantime.',
    authScopes: { scope: 'deliveries:read' },
    portal: streamsOfWebhook,
    args: {
      webhookId: t.arg.id({ description: WEBHOOK_ID }),
      after: t.arg({
        type: 'DateTime',
        description: `The \`finishedAt\` of a delivery, such as the last one that the client received. The stream begins with the deliveries that finished after this time. ${RESUMING}`,
      }),
    },
    subscribe: (_root, { webhookId, after }, context) =>
      openStream(context, {
        topic: finishedTopic,
        webhookId,
        after: after ?? null,
      }) as never,
    resolve: (query, parent, _args, context, info) =>
      rowOf(parent, 'deliveryId', info, (uuids) =>
        findDeliveriesByIds(context.prisma, context.caller.organizationId, uuids, query),
      ),
  }),
}))

/** The row of an item. The rows of a batch are read together. */
async function rowOf<Row>(
  parent: unknown,
  key: 'position' | 'deliveryId',
  info: GraphQLResolveInfo,
  find: (uuids: string[]) => Promise<ReadonlyMap<string, Row>>,
): Promise<Row | null> {
  const event = parent as StreamItem<LiveDelivery>
  const rows = await readOnce(event, info, (batch) => find(batch.map((item) => item[key])))
  return rows.get(event.item[key]) ?? null
}
