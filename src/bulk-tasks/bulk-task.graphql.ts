import { publicId } from '../db/ids.ts'
import { builder } from '../graphql/builder.ts'
import { withinReach } from '../graphql/context.ts'
import { enumOf } from '../graphql/enum-of.ts'
import { ConflictError } from '../graphql/errors.ts'
import { addList } from '../graphql/list.ts'
import { lookUp } from '../graphql/look-up.ts'
import { mutation } from '../graphql/mutation.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import { filtersByOneWebhook, findsNode, rowsOfWebhook } from '../graphql/portal-access.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import { deleteOrganization, findDeletions } from '../organizations/deletion/delete-organization.ts'
import { readSelection } from '../queue/long-work.ts'
import { findWebhooksByIds } from '../webhooks/find-webhooks.ts'
import { cancelBulkTask, findBulkTask, findBulkTasks } from './bulk-task.ts'
import type { Recovery } from './recover.ts'

const BulkTaskAction = enumOf('BulkTaskAction', 'What a bulk task does.', {
  redeliver: 'Queues the deliveries again.',
  cancel: 'Cancels the deliveries.',
  recover: 'Creates the deliveries that a webhook missed in a time range.',
  erase: 'Erases the contents of events.',
  delete_webhook: 'Cancels the deliveries of a deleted webhook.',
  delete_organization: 'Deletes everything that is stored about a deleted organization.',
})

const BulkTaskState = enumOf('BulkTaskState', 'The state of a bulk task.', {
  running:
    'Deliveries are being queued or canceled, or contents are being erased or deleted. A recovery pauses while its webhook is disabled; an erasure, until deliveries are sent.',
  completed: 'All is done.',
  canceled: 'The task was canceled while it was running.',
  failed: 'The task failed. `failure` says why.',
})

const RecoveryRef = builder.objectRef<Recovery>('Recovery').implement({
  description: 'What a recovery selects.',
  fields: (t) => ({
    since: t.expose('since', {
      type: 'DateTime',
      description: 'Events published at or after this time.',
    }),
    until: t.expose('until', {
      type: 'DateTime',
      description: 'Events published before this time.',
    }),
  }),
})

builder.prismaNode('BulkTask', {
  id: { field: 'id' },
  findUnique: (id, context) => ({ id, ...withinReach(context) }),
  nullable: true,
  extensions: { readScope: 'deliveries:read', ofWebhook: rowsOfWebhook('bulk_tasks') },
  select: { id: true, organizationId: true },
  fields: (t) => ({
    action: t.expose('action', { type: BulkTaskAction, description: 'What the task does.' }),
    organizationId: t.id({
      description: 'The id of the organization, also after it was deleted.',
      resolve: ({ organizationId }) => publicId('organization', organizationId),
    }),
    requestedBy: t.string({
      nullable: true,
      description:
        'Who deleted the organization: the person, the id of the API key, or `command line`. Null for other tasks, which are in the audit log.',
      select: { selection: true },
      resolve: ({ selection }) => Object(selection).requestedBy ?? null,
    }),
    state: t.expose('state', { type: BulkTaskState, description: 'The state of the task.' }),
    failure: t.exposeString('failure', { nullable: true }),
    webhookId: t.id({
      nullable: true,
      description:
        'The id of the webhook if all deliveries of the task are to one, also after the webhook was deleted.',
      select: { webhookId: true },
      resolve: ({ webhookId }) => webhookId && publicId('webhook', webhookId),
    }),
    webhook: t.prismaField({
      type: 'Webhook',
      nullable: true,
      description: 'The webhook if all deliveries are to one that was not deleted.',
      authScopes: { scope: 'webhooks:read' },
      select: { webhookId: true, organizationId: true },
      resolve: (query, { webhookId, organizationId }, _args, context, info) =>
        webhookId === null
          ? null
          : lookUp(findWebhooksByIds, query, context, info, organizationId)(webhookId),
    }),
    ratePerSecond: t.exposeInt('ratePerSecond', { nullable: true }),
    total: t.exposeInt('total'),
    totalIsExact: t.exposeBoolean('totalIsExact'),
    changed: t.exposeInt('changed'),
    canceled: t.exposeInt('canceled'),
    progress: t.float({
      description:
        'The part of `total` that is changed, from 0 to 1. Always 1 after `RUNNING`, unless the task failed or was canceled. 0 while a deletion runs.',
      select: { state: true, total: true, changed: true },
      resolve: ({ state, total, changed }) =>
        state === 'completed' ? 1 : total === 0 ? 0 : Math.min(1, changed / total),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When the task was started.',
      resolve: ({ id }) => timestampOf(id),
    }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true }),
    recovery: t.field({
      type: RecoveryRef,
      nullable: true,
      description: 'What the task recovers. Null for other tasks.',
      select: { action: true, selection: true },
      resolve: ({ action, selection }) =>
        action === 'recover' ? (readSelection(JSON.stringify(selection)) as Recovery) : null,
    }),
    searchKey: t.string({
      nullable: true,
      description:
        'The search key whose value is erased, such as `$.customer.email`. The value itself is not kept. Null for other tasks, and for an erasure by ids.',
      select: { selection: true },
      resolve: ({ selection }) => Object(selection).searchKey ?? null,
    }),
    waiting: t.exposeInt('waiting'),
    step: t.string({
      nullable: true,
      description:
        'What the deletion of an organization deletes now, such as `deliveries`: the name of a table. The deletion goes through the tables until nothing is left. Null between two passes and after the end, and for other tasks.',
      select: { progress: true },
      resolve: ({ progress }) => Object(progress).step ?? null,
    }),
  }),
})

const BulkTaskFilter = builder.inputType('BulkTaskFilter', {
  description: 'Selects bulk tasks. A task must match all given fields.',
  fields: (t) => ({
    webhookId: t.id({
      description: 'Tasks whose deliveries are all to this webhook, such as recoveries.',
    }),
    action: t.field({ type: BulkTaskAction, description: 'Tasks that do this.' }),
  }),
})

organizationFields((t) => ({
  bulkTask: t.prismaField({
    type: 'BulkTask',
    nullable: true,
    description:
      'The bulk task with this id, or null. Finished tasks are kept as long as deliveries; erasures are kept for good.',
    authScopes: { scope: 'deliveries:read' },
    portal: findsNode,
    args: { id: t.arg.id({ required: true, description: 'The id of a task: `task_…`.' }) },
    resolve: (query, organization, { id }, context) =>
      findBulkTask(context.prisma, organizationOf(organization, context), id, query),
  }),
}))

addList('Organization', 'bulkTasks', 'BulkTask', {
  description: 'The bulk tasks of the organization, newest first.',
  scope: 'deliveries:read',
  portal: filtersByOneWebhook,
  args: (t) => ({ filter: t.field({ type: BulkTaskFilter, description: 'Default: all tasks.' }) }),
  find: (query, organizationId, { filter }, { prisma }) =>
    findBulkTasks(prisma, organizationId, filter ?? {}, query),
})

mutation('cancelBulkTask', {
  description:
    'Cancels a running bulk task, within one second. Changed deliveries stay changed; another task can change the rest.',
  scope: 'deliveries:write',
  id: 'bulkTask',
  errors: [ConflictError],
  returns: ['task', 'BulkTask', 'The canceled task.'],
  run: async ({ id }, { prisma, actor }, { organizationId }) => {
    await cancelBulkTask(prisma, organizationId, id, actor)
    return id
  },
})

addList('Query', 'organizationDeletions', 'BulkTask', {
  description:
    'The deletions of organizations, newest first: those that run, and the tombstones of the others. Their `changed` counts rows in all tables.',
  scope: 'admin',
  args: (t) => ({
    organizationId: t.id({
      description: 'The deletion of the organization with this id: `org_…`. Default: all.',
    }),
  }),
  find: (query, _root, { organizationId }, { prisma }) =>
    findDeletions(prisma, organizationId, query),
})

mutation('deleteOrganization', {
  description:
    'Deletes an organization with everything that is stored of it. At once, its API keys and sessions are refused everywhere, its webhooks are deleted, and nothing is published or sent for it. In the background, all its rows are deleted, until only the deletion itself is left. Nothing brings it back. A second call changes nothing. A caller cannot delete the organization of its own API key.',
  scope: 'admin',
  id: 'organization',
  input: {
    description:
      'How to delete an organization. Default: only an organization without enabled webhooks.',
    optional: true,
    fields: (t) => ({
      force: t.boolean({
        description:
          'Whether to delete the organization although it has enabled webhooks. Deliveries that wait are not sent. Default: false.',
      }),
    }),
  },
  errors: [ConflictError],
  returns: ['deletion', 'BulkTask', 'The deletion, which has begun.'],
  run: ({ id, input }, { prisma, actor }) =>
    deleteOrganization(prisma, id, { force: input.force === true }, actor),
})
