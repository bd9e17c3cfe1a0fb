import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { ConflictError, NotFoundError, ValidationError } from '../graphql/errors.ts'
import { changesNode, ownWebhook, type PortalAccess } from '../graphql/portal-access.ts'
import { notFound } from '../lib/errors.ts'
import { cancelBulkTask, findBulkTask } from './bulk-task.ts'
import { DEFAULT_RATE_PER_SECOND, MAX_IDS, MAX_RATE_PER_SECOND } from './parse-task.ts'
import { MAX_COUNTED as MAX_RECOVERABLE } from './recovery-count.ts'
import { MAX_COUNTED } from './selected-deliveries.ts'
import { type Recovery, readSelection } from './selection.ts'
import {
  changeDeliveries,
  type DeliveriesInput,
  recoverDeliveries,
  type StartedTask,
} from './start-bulk-task.ts'

declare module '../graphql/context.ts' {
  interface DomainDeps {
    /** The retention of events, in ms. */
    readonly retentionMs: number
  }
}

const english = (count: number) => count.toLocaleString('en')
const rateDescription = (verb: string) =>
  `The maximum number of deliveries to ${verb} per second: 1 to ${english(MAX_RATE_PER_SECOND)}. Default: ${DEFAULT_RATE_PER_SECOND}.`

const RecoveryInclude = builder.enumType('RecoveryInclude', {
  description: 'Which deliveries a recovery queues.',
  values: {
    FAILED: {
      value: 'failed',
      description: 'Exhausted deliveries. They are redelivered with the same `wh-id`.',
    },
    MISSED: {
      value: 'missed',
      description:
        'New deliveries for events that the webhook subscribes to and has no delivery of. They were published while the webhook was disabled or before it subscribed.',
    },
    ALL: { value: 'all', description: 'Failed and missed deliveries.' },
  } as const,
})

const RecoverDeliveriesInput = builder.inputType('RecoverDeliveriesInput', {
  description: 'The recovery.',
  fields: (t) => ({
    webhookId: t.id({ required: true, description: 'The id of the webhook: `wh_…`.' }),
    since: t.field({
      type: 'DateTime',
      required: true,
      description:
        'Recovers events published at or after this time. It must be within the retention of the organization (default: POSTHORN_RETENTION, 30 days).',
    }),
    until: t.field({
      type: 'DateTime',
      description:
        'Recovers events published before this time. Default: now. A time in the future means now.',
    }),
    include: t.field({
      type: RecoveryInclude,
      description: 'Which deliveries to queue. Default: ALL.',
    }),
    ignoreFilter: t.boolean({
      defaultValue: false,
      description:
        "Whether to deliver missed events too that the webhook's filter refuses today. Default: false.",
    }),
    ratePerSecond: t.int({ description: rateDescription('queue') }),
    dryRun: t.boolean({
      defaultValue: false,
      description:
        'Whether to only count the deliveries. Nothing is changed, and the webhook may be disabled. Default: false.',
    }),
  }),
})

const RecoveryRef = builder.objectRef<Recovery>('Recovery').implement({
  description: 'What a recovery selects.',
  fields: (t) => ({
    since: t.expose('since', {
      type: 'DateTime',
      description: 'Recovers events published at or after this time.',
    }),
    until: t.expose('until', {
      type: 'DateTime',
      description: 'Recovers events published before this time.',
    }),
    include: t.expose('include', {
      type: RecoveryInclude,
      description: 'Which deliveries the recovery queues.',
    }),
  }),
})

builder.prismaObjectFields('BulkTask', (t) => ({
  recovery: t.field({
    type: RecoveryRef,
    nullable: true,
    description: 'What the task recovers. Null for a redelivery or cancelation.',
    select: { selection: true },
    resolve: ({ selection }) => {
      const read = readSelection(JSON.stringify(selection))
      return 'since' in read ? read : null
    },
  }),
}))

const started = (name: string) =>
  builder.objectRef<StartedTask>(`${name}Success`).implement({
    description: 'The task was started. For a dry run: the deliveries were counted.',
    fields: (t) => ({
      task: t.prismaField({
        type: 'BulkTask',
        nullable: true,
        description: 'The running task. Null for a dry run.',
        resolve: (query, { taskId }, _args, context) =>
          taskId === null
            ? null
            : findBulkTask(context.prisma, callerOf(context).organizationId, taskId, query),
      }),
      count: t.exposeInt('count', {
        description:
          'The number of selected deliveries that the task can change in their present states.',
      }),
      countIsExact: t.exposeBoolean('exact', {
        description: `Whether \`count\` is exact. Counting stops at ${english(MAX_COUNTED)} or, for a recovery, at ${english(MAX_RECOVERABLE)} exhausted deliveries and as many events. The task itself has no such limit.`,
      }),
    }),
  })

const errorsOf = (name: string) => ({
  types: [ValidationError, NotFoundError, ConflictError],
  directResult: true as const,
  union: { description: `The result of \`${name}\`.` },
})

/** `changeDeliveries` limits the deliveries to the webhook of a restricted session. */
const ofWebhook: PortalAccess = (args, session) => {
  for (const id of args.input.filter?.webhookIds ?? []) ownWebhook(id, session)
  return args
}

const CHANGES = {
  redeliver: {
    name: 'RedeliverDeliveries',
    verb: 'queue',
    states:
      '`states` may have RETRYING, SUCCEEDED, EXHAUSTED and CANCELED. Default for `states`: RETRYING and EXHAUSTED.',
    description:
      'Redelivers many deliveries in the background, each with the same `wh-id`. Finished deliveries restart their retry schedule; the next attempt of retrying ones is made now. Deliveries with a later attempt anyway are skipped: those that are queued or waiting, and those whose attempt is running. Deliveries of a webhook with a backlog join it. The task shows the progress and what came of the deliveries.',
  },
  cancel: {
    name: 'CancelDeliveries',
    verb: 'cancel',
    states: '`states` may have QUEUED, RETRYING and WAITING. Default for `states`: all three.',
    description:
      'Cancels many deliveries in the background: no further attempt is made. Attempts in flight finish and are recorded.',
  },
} as const

for (const action of ['redeliver', 'cancel'] as const) {
  const { name, verb, states, description } = CHANGES[action]
  const input = builder.inputRef<DeliveriesInput>(`${name}Input`).implement({
    description: `The deliveries to ${action}: either \`ids\` or \`filter\`.`,
    fields: (t) => ({
      ids: t.idList({ description: `The ids of at most ${english(MAX_IDS)} deliveries.` }),
      filter: t.field({
        type: 'DeliveryFilter',
        description: `Selects the deliveries; ${states} Needs at least one condition. \`anyAttempt\` has no limit here.`,
      }),
      ratePerSecond: t.int({ description: rateDescription(verb) }),
      dryRun: t.boolean({
        defaultValue: false,
        description: 'Whether to only count the deliveries. Default: false.',
      }),
    }),
  })
  builder.mutationField(`${action}Deliveries`, (t) =>
    t.field({
      type: started(name),
      semanticNonNull: true,
      description,
      authScopes: { scope: 'deliveries:write' },
      portal: ofWebhook,
      errors: errorsOf(`${action}Deliveries`),
      args: { input: t.arg({ type: input, required: true, description: 'The deliveries.' }) },
      resolve: (_root, args, context) => {
        const { organizationId, session } = callerOf(context)
        const onlyWebhook = session?.webhookId ?? null
        return changeDeliveries(context, organizationId, action, args.input, onlyWebhook)
      },
    }),
  )
}

builder.mutationFields((t) => ({
  recoverDeliveries: t.field({
    type: started('RecoverDeliveries'),
    semanticNonNull: true,
    description:
      'Queues the deliveries that failed or that a webhook missed in a time range, in the background and at a limited rate. Safe to repeat: unfinished, succeeded and canceled deliveries do not change, and no delivery is created twice. Test deliveries are skipped. The webhook must be enabled and have no running recovery.',
    authScopes: { scope: 'deliveries:write' },
    portal: changesNode('webhook', ({ input }) => input.webhookId),
    errors: errorsOf('recoverDeliveries'),
    args: {
      input: t.arg({ type: RecoverDeliveriesInput, required: true, description: 'The recovery.' }),
    },
    resolve: (_root, { input: { webhookId, ...input } }, context) =>
      recoverDeliveries(context, callerOf(context).organizationId, webhookId, input),
  }),

  cancelBulkTask: t.prismaField({
    type: 'BulkTask',
    semanticNonNull: true,
    description:
      'Cancels a running bulk task, within one second. Changed deliveries stay changed; another task can change the rest.',
    authScopes: { scope: 'deliveries:write' },
    portal: changesNode('bulk task'),
    errors: {
      types: [NotFoundError, ConflictError],
      dataField: { name: 'task', description: 'The canceled task.' },
      result: { description: 'The task was canceled.' },
      union: { description: 'The result of `cancelBulkTask`.' },
    },
    args: { id: t.arg.id({ required: true, description: 'The id of the task: `task_…`.' }) },
    resolve: async (query, _root, { id }, context) => {
      const { organizationId } = callerOf(context)
      await cancelBulkTask(context.prisma, organizationId, id, context.actor)
      const task = await findBulkTask(context.prisma, organizationId, id, query)
      if (!task) throw notFound('bulk task', id)
      return task
    },
  }),
}))
