import { publicId } from '../db/ids.ts'
import { selectIds } from '../db/select-ids.ts'
import { findExhaustedDeliveries } from '../deliveries/find-exhausted-deliveries.ts'
import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { lookUp } from '../graphql/look-up.ts'
import { findsNode, type RestrictedSession } from '../graphql/portal-access.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import { findWebhooksByIds } from '../webhooks/find-webhooks.ts'
import { findRecoveriesOfEach, findRecoveryById } from './recovery.ts'

const RecoveryState = builder.enumType('RecoveryState', {
  description: 'The state of a recovery.',
  values: {
    RUNNING: {
      value: 'running',
      description:
        'Deliveries are being queued. The recovery pauses while its webhook is disabled.',
    },
    DELIVERING: {
      value: 'following',
      description: 'All deliveries are queued, and some have not finished.',
    },
    COMPLETED: {
      value: 'completed',
      description: 'All deliveries have finished since they were queued.',
    },
    CANCELED: { value: 'canceled', description: 'The recovery was canceled while it was running.' },
    FAILED: { value: 'failed', description: 'The recovery failed. `failure` says why.' },
  } as const,
})

const Recovery = builder.prismaNode('Recovery', {
  id: { field: 'id' },
  findUnique: (id, context) => ({ id, organizationId: callerOf(context).organizationId }),
  nullable: true,
  extensions: { readScope: 'deliveries:read', ofWebhook: recoveriesOfWebhook },
  select: { id: true },
  fields: (t) => ({
    webhookId: t.id({
      description: 'The id of the webhook, also after the webhook was deleted.',
      select: { webhookId: true },
      resolve: ({ webhookId }) => publicId('webhook', webhookId),
    }),
    webhook: t.prismaField({
      type: 'Webhook',
      nullable: true,
      description: 'The webhook. Null if it was deleted.',
      authScopes: { scope: 'webhooks:read' },
      select: { webhookId: true, organizationId: true },
      resolve: (query, { webhookId, organizationId }, _args, context, info) =>
        lookUp(findWebhooksByIds, query, context, info, organizationId)(webhookId),
    }),
    since: t.expose('since', { type: 'DateTime' }),
    until: t.expose('until', { type: 'DateTime' }),
    ratePerSecond: t.exposeInt('ratePerSecond'),
    state: t.expose('state', { type: RecoveryState, description: 'The state of the recovery.' }),
    failure: t.exposeString('failure', { nullable: true }),
    total: t.exposeInt('total'),
    totalIsExact: t.exposeBoolean('totalIsExact'),
    redelivered: t.exposeInt('redelivered'),
    created: t.exposeInt('created'),
    succeeded: t.exposeInt('succeeded'),
    exhausted: t.exposeInt('exhausted'),
    canceled: t.exposeInt('canceled'),
    unfinished: t.int({
      description:
        'The number of queued deliveries that have not finished. Updated every few seconds at first, later every few minutes; also after the recovery was canceled.',
      select: {
        redelivered: true,
        created: true,
        succeeded: true,
        exhausted: true,
        canceled: true,
      },
      resolve: ({ redelivered, created, succeeded, exhausted, canceled }) =>
        Math.max(0, redelivered + created - succeeded - exhausted - canceled),
    }),
    progress: t.float({
      description:
        'The queued part of `total`, from 0 to 1. Always 1 after `RUNNING`, unless the recovery failed or was canceled.',
      select: { state: true, total: true, redelivered: true, created: true },
      resolve: ({ state, total, redelivered, created }) =>
        state === 'completed' || state === 'following'
          ? 1
          : Math.min(1, (redelivered + created) / Math.max(1, total)),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When the recovery was started.',
      resolve: ({ id }) => timestampOf(id),
    }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true }),
  }),
})

builder.prismaObjectField('Recovery', 'exhaustedDeliveries', (t) =>
  t.prismaConnection(
    {
      type: 'Delivery',
      cursor: 'id',
      semanticNonNull: true,
      description:
        'The queued deliveries that were exhausted since, newest first, as `exhausted` counts them. A delivery that was redelivered later stays in the list.',
      authScopes: { scope: 'deliveries:read' },
      resolve: (query, { id }, _args, context) =>
        findExhaustedDeliveries(context, callerOf(context).organizationId, 'recovery', id, query),
    },
    { name: 'RecoveryDeliveryConnection', description: 'A page of deliveries of a recovery.' },
    { name: 'RecoveryDeliveryEdge', description: 'A delivery of a recovery in a page.' },
  ),
)

builder.queryField('recovery', (t) =>
  t.prismaField({
    type: 'Recovery',
    nullable: true,
    description:
      'The recovery with this id, or null. Finished recoveries are kept as long as deliveries.',
    authScopes: { scope: 'deliveries:read' },
    portal: findsNode,
    args: { id: t.arg.id({ required: true, description: 'The id of a recovery: `rec_…`.' }) },
    resolve: (query, _root, { id }, context) =>
      findRecoveryById(context.prisma, callerOf(context).organizationId, id, query),
  }),
)

builder.prismaObjectField('Webhook', 'recoveries', (t) =>
  t.prismaConnection(
    {
      type: 'Recovery',
      cursor: 'id',
      semanticNonNull: true,
      description: 'The recoveries of this webhook, newest first.',
      authScopes: { scope: 'deliveries:read' },
      resolve: (query, { id }, _args, context, info) =>
        context.perField(info, (ids: string[]) => findRecoveriesOfEach(context, ids, query))(id),
    },
    builder.connectionObject(
      { type: Recovery, name: 'RecoveryConnection', description: 'A page of recoveries.' },
      { name: 'RecoveryEdge', description: 'A recovery in a page.' },
    ),
  ),
)

function recoveriesOfWebhook({ webhookId, context }: RestrictedSession, uuids: readonly string[]) {
  return selectIds(
    context.sql,
    'select id from posthorn.recoveries where webhook_id = $1 and id = any ($2::uuid[])',
    [webhookId, uuids],
  )
}
