import { builder } from '../graphql/builder.ts'
import { enumOf } from '../graphql/enum-of.ts'
import { ConflictError, NotFoundError, ValidationError } from '../graphql/errors.ts'
import { ownWebhook, type PortalAccess } from '../graphql/portal-access.ts'
import { findBulkTask } from './bulk-task.ts'
import {
  type ChangeInput,
  changeDeliveries,
  DEFAULT_RATE_PER_SECOND,
  MAX_IDS,
  MAX_RATE_PER_SECOND,
} from './change-deliveries.ts'
import { erase, MAX_EVENTS } from './erase.ts'
import { MAX_COUNTED } from './selected-deliveries.ts'
import type { Started } from './start-task.ts'

const english = (count: number) => count.toLocaleString('en')
const rateDescription = (verb: string) =>
  `The maximum number of deliveries to ${verb} per second: 1 to ${english(MAX_RATE_PER_SECOND)}. Default: ${DEFAULT_RATE_PER_SECOND}.`

const ERRORS = {
  types: [ValidationError, NotFoundError, ConflictError],
  directResult: true as const,
}

const MissedEventsInput = builder.inputType('MissedEventsInput', {
  description:
    'Events that a webhook subscribes to and has no delivery of: published while it was disabled, or before it subscribed. Test events are left out.',
  fields: (t) => ({
    webhookId: t.id({ required: true, description: 'The id of the webhook: `wh_…`.' }),
    since: t.field({
      type: 'DateTime',
      required: true,
      description: 'Events published at or after this time, and still kept.',
    }),
    until: t.field({
      type: 'DateTime',
      description: 'Events published before this time. Default, and at most: now.',
    }),
    ignoreFilter: t.boolean({
      defaultValue: false,
      description: 'Whether events count that the filter refuses today. Default: false.',
    }),
  }),
})

/** What a mutation answers that starts a task, or counts. */
const success = (name: string, description: string, counted: string) =>
  builder.objectRef<Started>(`${name}Success`).implement({
    description,
    fields: (t) => ({
      task: t.prismaField({
        type: 'BulkTask',
        nullable: true,
        description: 'The running task. Null without one, as for a dry run.',
        resolve: (query, { taskId }, _args, context) =>
          taskId === null
            ? null
            : findBulkTask(context.prisma, context.caller.organizationId, taskId, query),
      }),
      count: t.exposeInt('count', { description: `The number of ${counted}.` }),
      countIsExact: t.exposeBoolean('exact', {
        description: `Whether \`count\` is exact: counting stops at ${english(MAX_COUNTED)}, not the task.`,
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
  const type = success(
    name,
    'The deliveries were changed, or the task was started. For a dry run: they were counted.',
    'selected deliveries: of a `filter`, those that can be changed in their present states',
  )
  builder.objectField(type, 'deliveries', (t) =>
    t.prismaField({
      type: ['Delivery'],
      description: 'The changed deliveries, if `ids` were given. Otherwise empty.',
      complexity: { multiplier: MAX_IDS },
      resolve: async (query, { deliveryUuids = [] }, _args, { prisma }) => {
        if (deliveryUuids.length === 0) return []
        const where = { id: { in: [...deliveryUuids] } }
        return await prisma.delivery.findMany({ ...query, where, orderBy: { id: 'asc' } })
      },
    }),
  )
  builder.mutationField(field, (t) =>
    t.field({
      type,
      semanticNonNull: true,
      description,
      authScopes: { scope: 'deliveries:write' },
      portal: ofWebhook,
      errors: ERRORS,
      args: { input: t.arg({ type: input, required: true, description: 'The deliveries.' }) },
      resolve: (_root, args, context) => {
        const { organizationId, session } = context.caller
        const onlyWebhook = session?.webhookId ?? null
        return changeDeliveries(context, organizationId, action, args.input, onlyWebhook)
      },
    }),
  )
}

const UnsentDeliveries = enumOf(
  'UnsentDeliveries',
  'What happens to the deliveries that are not sent yet, when their contents are erased.',
  {
    send_first:
      'The event is erased once each of its deliveries has succeeded, is exhausted or was canceled. The erasure waits for that.',
    cancel: 'They are canceled, and the event is erased at once.',
  },
)

const EraseInput = builder.inputType('EraseInput', {
  description:
    'The events to erase: exactly one of `eventIds` and `searchKey`. All deliveries of an event share its payload.',
  fields: (t) => ({
    eventIds: t.idList({
      description: `The ids of at most ${english(MAX_EVENTS)} events: \`evt_…\`.`,
    }),
    searchKey: t.field({
      type: 'SearchKeyFilter',
      description:
        'Selects the events with a value at a search key, such as `ada@example.org` at `$.customer.email`.',
    }),
    unsent: t.field({
      type: UnsentDeliveries,
      required: true,
      description: 'What happens to the deliveries that are not sent yet.',
    }),
    dryRun: t.boolean({
      defaultValue: false,
      description: 'Whether to only count the events. Default: false.',
    }),
  }),
})

const EraseSuccess = success(
  'Erase',
  'The erasure was started. For a dry run: the events were counted.',
  'events that are not erased yet',
)
builder.objectField(EraseSuccess, 'unsentCount', (t) =>
  t.int({
    description: 'The number of deliveries of the counted events that are not sent yet.',
    resolve: ({ unsent = 0 }) => unsent,
  }),
)

builder.mutationField('erase', (t) =>
  t.field({
    type: EraseSuccess,
    semanticNonNull: true,
    description:
      'Erases the contents of events for good, in the background: their payloads, their search keys, and what receivers answered. The records of what was published, sent and answered stay.',
    authScopes: { scope: 'data:erase' },
    errors: ERRORS,
    args: {
      input: t.arg({ type: EraseInput, required: true, description: 'What to erase.' }),
    },
    resolve: (_root, { input }, context) => erase(context, context.caller.organizationId, input),
  }),
)
