import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { ConflictError, NotFoundError, ValidationError } from '../graphql/errors.ts'
import { mutation } from '../graphql/mutation.ts'
import { ownWebhook, type PortalAccess } from '../graphql/portal-access.ts'
import { cancelBulkTask, findBulkTask } from './bulk-task.ts'
import { DEFAULT_RATE_PER_SECOND, MAX_IDS, MAX_RATE_PER_SECOND } from './parse-task.ts'
import { MAX_COUNTED } from './selected-deliveries.ts'
import { type Recovery, readSelection } from './selection.ts'
import { type Change, type ChangeInput, changeDeliveries } from './start-bulk-task.ts'

declare module '../graphql/context.ts' {
  interface DomainDeps {
    /** The retention of events, in ms. */
    readonly retentionMs: number
  }
}

const english = (count: number) => count.toLocaleString('en')
const rateDescription = (verb: string) =>
  `The maximum number of deliveries to ${verb} per second: 1 to ${english(MAX_RATE_PER_SECOND)}. Default: ${DEFAULT_RATE_PER_SECOND}.`

const MissedEventsInput = builder.inputType('MissedEventsInput', {
  description:
    'Events that a webhook subscribes to and has no delivery of: published while it was disabled, or before it subscribed. Test events are left out.',
  fields: (t) => ({
    webhookId: t.id({ required: true, description: 'The id of the webhook: `wh_…`.' }),
    since: t.field({
      type: 'DateTime',
      required: true,
      description:
        'Events published at or after this time. It must be within the retention of the organization (default: POSTHORN_RETENTION, 30 days).',
    }),
    until: t.field({
      type: 'DateTime',
      description:
        'Events published before this time. Default: now. A time in the future means now.',
    }),
    ignoreFilter: t.boolean({
      defaultValue: false,
      description:
        "Whether to deliver events too that the webhook's filter refuses today. Default: false.",
    }),
  }),
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

builder.prismaObjectFields('BulkTask', (t) => ({
  recovery: t.field({
    type: RecoveryRef,
    nullable: true,
    description: 'What the task recovers. Null for other tasks.',
    select: { selection: true },
    resolve: ({ selection }) => {
      const read = readSelection(JSON.stringify(selection))
      return 'since' in read ? read : null
    },
  }),
}))

const changed = (name: string) =>
  builder.objectRef<Change>(`${name}Success`).implement({
    description:
      'The deliveries were changed, or the task was started. For a dry run: they were counted.',
    fields: (t) => ({
      deliveries: t.prismaField({
        type: ['Delivery'],
        description: 'The changed deliveries, if `ids` were given. Otherwise empty.',
        complexity: { multiplier: MAX_IDS },
        resolve: async (query, { deliveryUuids }, _args, { prisma }) => {
          if (deliveryUuids.length === 0) return []
          const where = { id: { in: [...deliveryUuids] } }
          return await prisma.delivery.findMany({ ...query, where, orderBy: { id: 'asc' } })
        },
      }),
      task: t.prismaField({
        type: 'BulkTask',
        nullable: true,
        description: 'The running task. Null for `ids` and for a dry run.',
        resolve: (query, { taskId }, _args, context) =>
          taskId === null
            ? null
            : findBulkTask(context.prisma, callerOf(context).organizationId, taskId, query),
      }),
      count: t.exposeInt('count', {
        description:
          'The number of selected deliveries that can be changed in their present states.',
      }),
      countIsExact: t.exposeBoolean('exact', {
        description: `Whether \`count\` is exact. Counting stops at ${english(MAX_COUNTED)}. The task itself has no such limit.`,
      }),
    }),
  })

/** `changeDeliveries` limits the deliveries to the webhook of a restricted session. */
const ofWebhook: PortalAccess = (args, session) => {
  const { filter, missed } = args.input
  for (const id of filter?.webhookIds ?? []) ownWebhook(id, session)
  if (missed) ownWebhook(missed.webhookId, session)
  return args
}

const CHANGES = {
  redeliver: {
    name: 'Redeliver',
    field: 'redeliver',
    verb: 'queue',
    states:
      '`states` may have RETRYING, SUCCEEDED, EXHAUSTED and CANCELED. Default for `states`: RETRYING and EXHAUSTED.',
    description:
      'Sends deliveries again, each with the same `wh-id`: at once those with the `ids`, with priority over the rest of a backlog; in the background those of a `filter`, or what a webhook `missed`. A finished delivery restarts its retry schedule; the next attempt of a retrying one is made now. A delivery of an ordered webhook keeps its place. Left out are deliveries whose webhook was deleted or whose payload is gone; of a `filter`, also those with a later attempt anyway. A redelivery of missed events needs an enabled webhook without another one that runs, and creates no delivery twice. The task shows the progress.',
  },
  cancel: {
    name: 'CancelDeliveries',
    field: 'cancelDeliveries',
    verb: 'cancel',
    states: '`states` may have QUEUED, RETRYING and WAITING. Default for `states`: all three.',
    description:
      'Cancels deliveries: at once those with the `ids`, in the background those of a `filter`. No further attempt is made. Attempts in flight finish and are recorded.',
  },
} as const

for (const action of ['redeliver', 'cancel'] as const) {
  const { name, field, verb, states, description } = CHANGES[action]
  const input = builder.inputRef<ChangeInput>(`${name}Input`).implement({
    description: `The deliveries to ${action}: either \`ids\` or \`filter\`${action === 'redeliver' ? ' or `missed`' : ''}.`,
    fields: (t) => ({
      ids: t.idList({ description: `The ids of at most ${english(MAX_IDS)} deliveries.` }),
      filter: t.field({
        type: 'DeliveryFilter',
        description: `Selects the deliveries; ${states} Needs at least one condition. \`anyAttempt\` has no limit here.`,
      }),
      ...(action === 'redeliver' && {
        missed: t.field({ type: MissedEventsInput, description: 'What a webhook missed.' }),
      }),
      ratePerSecond: t.int({ description: `${rateDescription(verb)} Not for \`ids\`.` }),
      dryRun: t.boolean({
        defaultValue: false,
        description: 'Whether to only count the deliveries. Default: false.',
      }),
    }),
  })
  builder.mutationField(field, (t) =>
    t.field({
      type: changed(name),
      semanticNonNull: true,
      description,
      authScopes: { scope: 'deliveries:write' },
      portal: ofWebhook,
      errors: {
        types: [ValidationError, NotFoundError, ConflictError],
        directResult: true as const,
      },
      args: { input: t.arg({ type: input, required: true, description: 'The deliveries.' }) },
      resolve: (_root, args, context) => {
        const { organizationId, session } = callerOf(context)
        const onlyWebhook = session?.webhookId ?? null
        return changeDeliveries(context, organizationId, action, args.input, onlyWebhook)
      },
    }),
  )
}

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
