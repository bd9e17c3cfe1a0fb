import { publicId } from '../db/ids.ts'
import { selectIds } from '../db/select-ids.ts'
import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { findsNode, type RestrictedSession } from '../graphql/portal-access.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import { findWebhooksByIds } from '../webhooks/find-webhooks.ts'
import { findRecoveriesOfEach, findRecoveryById } from './recovery.ts'

const RecoveryState = builder.enumType('RecoveryState', {
  description: 'Where a recovery stands.',
  values: {
    RUNNING: {
      value: 'running',
      description: 'It goes on. While its webhook is disabled, it rests.',
    },
    COMPLETED: { value: 'completed', description: 'All is due that there was.' },
    CANCELED: { value: 'canceled', description: 'Somebody canceled it, partly done.' },
    FAILED: { value: 'failed', description: 'It could not go on; `failure` says why.' },
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
      description: 'The id of its webhook, which stays when that is deleted.',
      select: { webhookId: true },
      resolve: ({ webhookId }) => publicId('webhook', webhookId),
    }),
    webhook: t.prismaField({
      type: 'Webhook',
      nullable: true,
      description:
        'Whose deliveries it makes due. Null when that was deleted. Needs the scope `webhooks:read`.',
      authScopes: { scope: 'webhooks:read' },
      select: { webhookId: true },
      resolve: (query, { webhookId }, _args, context, info) => {
        const { organizationId } = callerOf(context)
        return context.perField(info, async (uuids: string[]) => {
          const found = await findWebhooksByIds(context.prisma, organizationId, uuids, query)
          return uuids.map((uuid) => found.get(uuid) ?? null)
        })(webhookId)
      },
    }),
    since: t.expose('since', { type: 'DateTime' }),
    until: t.expose('until', { type: 'DateTime' }),
    ratePerSecond: t.exposeInt('ratePerSecond'),
    state: t.expose('state', { type: RecoveryState, description: 'Where it stands.' }),
    failure: t.exposeString('failure', { nullable: true }),
    total: t.exposeInt('total'),
    totalIsExact: t.exposeBoolean('totalIsExact'),
    redelivered: t.exposeInt('redelivered'),
    created: t.exposeInt('created'),
    progress: t.float({
      description: 'How much of `total` is due, from 0 to 1; 1 when it is completed.',
      select: { state: true, total: true, redelivered: true, created: true },
      resolve: ({ state, total, redelivered, created }) =>
        state === 'completed' ? 1 : Math.min(1, (redelivered + created) / Math.max(1, total)),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it began.',
      resolve: ({ id }) => timestampOf(id),
    }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true }),
  }),
})

builder.queryField('recovery', (t) =>
  t.prismaField({
    type: 'Recovery',
    nullable: true,
    description:
      'The recovery with this id, or null; kept as long as deliveries are once it has ended. Needs the scope `deliveries:read`.',
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
      nullable: true,
      description:
        'The recoveries of its deliveries, newest first. Needs the scope `deliveries:read`.',
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
