import { selectIds } from '../db/select-ids.ts'
import { findExhaustedDeliveries } from '../deliveries/find-exhausted-deliveries.ts'
import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { findsNode, type RestrictedSession } from '../graphql/portal-access.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import { findDeliveryTaskById, findDeliveryTasks } from './delivery-task.ts'

const DeliveryTaskAction = builder.enumType('DeliveryTaskAction', {
  description: 'What a delivery task does.',
  values: {
    REDELIVER: { value: 'redeliver', description: 'Queues the deliveries again.' },
    CANCEL: { value: 'cancel', description: 'Cancels the deliveries.' },
  } as const,
})

const DeliveryTaskState = builder.enumType('DeliveryTaskState', {
  description: 'The state of a delivery task.',
  values: {
    RUNNING: { value: 'running', description: 'Deliveries are being queued or canceled.' },
    DELIVERING: {
      value: 'following',
      description: 'All deliveries are queued, and some have not finished.',
    },
    COMPLETED: {
      value: 'completed',
      description: 'All deliveries are canceled, or have finished since they were queued.',
    },
    CANCELED: { value: 'canceled', description: 'The task was canceled while it was running.' },
    FAILED: { value: 'failed', description: 'The task failed. `failure` says why.' },
  } as const,
})

const DeliveryTask = builder.prismaNode('DeliveryTask', {
  id: { field: 'id' },
  findUnique: (id, context) => ({ id, organizationId: callerOf(context).organizationId }),
  nullable: true,
  extensions: { readScope: 'deliveries:read', ofWebhook: tasksOfWebhook },
  select: { id: true },
  fields: (t) => ({
    action: t.expose('action', { type: DeliveryTaskAction, description: 'What the task does.' }),
    state: t.expose('state', { type: DeliveryTaskState, description: 'The state of the task.' }),
    failure: t.exposeString('failure', { nullable: true }),
    ratePerSecond: t.exposeInt('ratePerSecond'),
    total: t.exposeInt('total'),
    totalIsExact: t.exposeBoolean('totalIsExact'),
    changed: t.exposeInt('changed'),
    succeeded: t.exposeInt('succeeded'),
    exhausted: t.exposeInt('exhausted'),
    canceled: t.exposeInt('canceled'),
    unfinished: t.int({
      description:
        'The number of queued deliveries that have not finished. Updated every few seconds at first, later every few minutes.',
      select: { action: true, changed: true, succeeded: true, exhausted: true, canceled: true },
      resolve: ({ action, changed, succeeded, exhausted, canceled }) =>
        action === 'cancel' ? 0 : Math.max(0, changed - succeeded - exhausted - canceled),
    }),
    progress: t.float({
      description:
        'The part of `total` that is queued or canceled, from 0 to 1. Always 1 after `RUNNING`, unless the task failed or was canceled.',
      select: { state: true, total: true, changed: true },
      resolve: ({ state, total, changed }) =>
        state === 'completed' || state === 'following'
          ? 1
          : Math.min(1, changed / Math.max(1, total)),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When the task was started.',
      resolve: ({ id }) => timestampOf(id),
    }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true }),
  }),
})

builder.prismaObjectField('DeliveryTask', 'exhaustedDeliveries', (t) =>
  t.prismaConnection(
    {
      type: 'Delivery',
      cursor: 'id',
      semanticNonNull: true,
      description: 'The queued deliveries that were exhausted since, newest first.',
      authScopes: { scope: 'deliveries:read' },
      resolve: (query, { id }, _args, context) =>
        findExhaustedDeliveries(
          context,
          callerOf(context).organizationId,
          'deliveryTask',
          id,
          query,
        ),
    },
    { name: 'TaskDeliveryConnection', description: 'A page of deliveries of a task.' },
    { name: 'TaskDeliveryEdge', description: 'A delivery of a task in a page.' },
  ),
)

builder.queryFields((t) => ({
  deliveryTask: t.prismaField({
    type: 'DeliveryTask',
    nullable: true,
    description:
      'The delivery task with this id, or null. Finished tasks are kept as long as deliveries.',
    authScopes: { scope: 'deliveries:read' },
    portal: findsNode,
    args: { id: t.arg.id({ required: true, description: 'The id of a task: `task_…`.' }) },
    resolve: (query, _root, { id }, context) =>
      findDeliveryTaskById(context.prisma, callerOf(context).organizationId, id, query),
  }),
  deliveryTasks: t.prismaConnection(
    {
      type: 'DeliveryTask',
      cursor: 'id',
      semanticNonNull: true,
      description: 'The delivery tasks of the organization, newest first.',
      authScopes: { scope: 'deliveries:read' },
      resolve: (query, _root, _args, context) =>
        findDeliveryTasks(context.prisma, callerOf(context).organizationId, query),
    },
    builder.connectionObject(
      { type: DeliveryTask, name: 'DeliveryTaskConnection', description: 'A page of tasks.' },
      { name: 'DeliveryTaskEdge', description: 'A task in a page.' },
    ),
  ),
}))

function tasksOfWebhook({ webhookId, context }: RestrictedSession, uuids: readonly string[]) {
  return selectIds(
    context.sql,
    'select id from posthorn.delivery_tasks where webhook_id = $1 and id = any ($2::uuid[])',
    [webhookId, uuids],
  )
}
