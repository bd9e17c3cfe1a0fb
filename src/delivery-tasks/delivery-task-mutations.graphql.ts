import { type DeliveryFilterInput, readDeliveryFilter } from '../deliveries/read-filters.ts'
import { builder } from '../graphql/builder.ts'
import { type Context, callerOf } from '../graphql/context.ts'
import { ConflictError, NotFoundError, ValidationError } from '../graphql/errors.ts'
import { changesNode, ownWebhook, type PortalAccess } from '../graphql/portal-access.ts'
import { notFound } from '../lib/errors.ts'
import { cancelDeliveryTask, findDeliveryTask, findDeliveryTaskById } from './delivery-task.ts'
import { keyNotSupported } from './key-not-supported.ts'
import {
  DEFAULT_RATE_PER_SECOND,
  MAX_IDS,
  MAX_RATE_PER_SECOND,
  type TaskAction,
} from './parse-task.ts'
import { type StartedTask, startDeliveryTask } from './start-delivery-task.ts'
import { MAX_COUNTED } from './task-selection.ts'

interface DeliveriesInput {
  readonly ids?: readonly string[] | null | undefined
  readonly filter?: DeliveryFilterInput | null | undefined
  readonly ratePerSecond?: number | null | undefined
  readonly dryRun?: boolean | null | undefined
}

declare module '../graphql/builder.ts' {
  interface Inputs {
    RedeliverDeliveriesInput: DeliveriesInput
    CancelDeliveriesInput: DeliveriesInput
  }
}

const INPUTS = {
  RedeliverDeliveriesInput: {
    description: 'The deliveries to redeliver: either `ids` or `filter`.',
    filter:
      'Selects the deliveries; `states` may have RETRYING, SUCCEEDED, EXHAUSTED and CANCELED. Default for `states`: RETRYING and EXHAUSTED. Needs at least one condition. `anyAttempt` has no limit here.',
    verb: 'queue',
  },
  CancelDeliveriesInput: {
    description: 'The deliveries to cancel: either `ids` or `filter`.',
    filter:
      'Selects the deliveries; `states` may have QUEUED, RETRYING and WAITING. Default for `states`: all three. Needs at least one condition. `anyAttempt` has no limit here.',
    verb: 'cancel',
  },
} as const

for (const name of ['RedeliverDeliveriesInput', 'CancelDeliveriesInput'] as const) {
  const { description, filter, verb } = INPUTS[name]
  builder.inputType(name, {
    description,
    fields: (t) => ({
      ids: t.idList({
        description: `The ids of at most ${MAX_IDS.toLocaleString('en')} deliveries.`,
      }),
      filter: t.field({ type: 'DeliveryFilter', description: filter }),
      ratePerSecond: t.int({
        description: `The maximum number of deliveries to ${verb} per second: 1 to ${MAX_RATE_PER_SECOND.toLocaleString('en')}. Default: ${DEFAULT_RATE_PER_SECOND}.`,
      }),
      dryRun: t.boolean({
        defaultValue: false,
        description: 'Whether to only count the deliveries. Default: false.',
      }),
    }),
  })
}

const Started = (name: 'RedeliverDeliveriesSuccess' | 'CancelDeliveriesSuccess') =>
  builder.objectRef<StartedTask>(name).implement({
    description: 'The task was started. For a dry run: the deliveries were counted.',
    fields: (t) => ({
      task: t.prismaField({
        type: 'DeliveryTask',
        nullable: true,
        description: 'The running task. Null for a dry run.',
        resolve: (query, { taskUuid }, _args, context) =>
          taskUuid === null
            ? null
            : findDeliveryTask(context.prisma, callerOf(context).organizationId, taskUuid, query),
      }),
      count: t.exposeInt('count', { description: 'The number of selected deliveries.' }),
      countIsExact: t.exposeBoolean('exact', {
        description: `Whether \`count\` is exact. Counting stops at ${MAX_COUNTED.toLocaleString('en')}. The task itself has no such limit.`,
      }),
    }),
  })

const RedeliverDeliveriesSuccess = Started('RedeliverDeliveriesSuccess')
const CancelDeliveriesSuccess = Started('CancelDeliveriesSuccess')

/** `start` limits the deliveries to the webhook of a restricted session. */
const ofWebhook: PortalAccess = (args, session) => {
  for (const id of args.input.filter?.webhookIds ?? []) ownWebhook(id, session)
  return args
}

function start(
  action: TaskAction,
  { dryRun, filter, ...input }: DeliveriesInput,
  context: Context,
) {
  if (filter?.key) throw keyNotSupported()
  const { organizationId, session } = callerOf(context)
  return startDeliveryTask(context, organizationId, action, {
    ...input,
    onlyWebhook: session?.webhookId ?? null,
    filter: filter && readDeliveryFilter(filter),
    dryRun: dryRun ?? false,
  })
}

const errorTypes = [ValidationError, NotFoundError, ConflictError]

builder.mutationFields((t) => ({
  redeliverDeliveries: t.field({
    type: RedeliverDeliveriesSuccess,
    semanticNonNull: true,
    description:
      'Redelivers many deliveries in the background, each with the same `wh-id`. Finished deliveries restart their retry schedule; the next attempt of retrying ones is made now. Deliveries with a later attempt anyway are skipped: those that are queued or waiting, and those whose attempt is running. Deliveries of a webhook with a backlog join it. The task shows the progress and what came of the deliveries.',
    authScopes: { scope: 'deliveries:write' },
    portal: ofWebhook,
    errors: {
      types: errorTypes,
      directResult: true,
      union: { description: 'The result of `redeliverDeliveries`.' },
    },
    args: {
      input: t.arg({
        type: 'RedeliverDeliveriesInput',
        required: true,
        description: 'The deliveries.',
      }),
    },
    resolve: (_root, { input }, context) => start('redeliver', input, context),
  }),

  cancelDeliveries: t.field({
    type: CancelDeliveriesSuccess,
    semanticNonNull: true,
    description:
      'Cancels many deliveries in the background: no further attempt is made. Attempts in flight finish and are recorded.',
    authScopes: { scope: 'deliveries:write' },
    portal: ofWebhook,
    errors: {
      types: errorTypes,
      directResult: true,
      union: { description: 'The result of `cancelDeliveries`.' },
    },
    args: {
      input: t.arg({
        type: 'CancelDeliveriesInput',
        required: true,
        description: 'The deliveries.',
      }),
    },
    resolve: (_root, { input }, context) => start('cancel', input, context),
  }),

  cancelDeliveryTask: t.prismaField({
    type: 'DeliveryTask',
    semanticNonNull: true,
    description:
      'Cancels a running delivery task, within one second. Changed deliveries stay changed.',
    authScopes: { scope: 'deliveries:write' },
    portal: changesNode('delivery task'),
    errors: {
      types: [NotFoundError, ConflictError],
      dataField: { name: 'task', description: 'The canceled task.' },
      result: { description: 'The task was canceled.' },
      union: { description: 'The result of `cancelDeliveryTask`.' },
    },
    args: { id: t.arg.id({ required: true, description: 'The id of the task: `task_…`.' }) },
    resolve: async (query, _root, { id }, context) => {
      const { organizationId } = callerOf(context)
      await cancelDeliveryTask(context.prisma, organizationId, id, context.actor)
      const task = await findDeliveryTaskById(context.prisma, organizationId, id, query)
      if (!task) throw notFound('delivery task', id)
      return task
    },
  }),
}))
