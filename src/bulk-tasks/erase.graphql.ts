import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { enumOf } from '../graphql/enum-of.ts'
import { ConflictError, NotFoundError, ValidationError } from '../graphql/errors.ts'
import { findBulkTask } from './bulk-task.ts'
import { MAX_COUNTED } from './selected-deliveries.ts'
import { readSelection } from './selection.ts'
import { erase, MAX_EVENTS, type StartedErasure } from './start-erasure.ts'

const english = (count: number) => count.toLocaleString('en')

const UnsentDeliveries = enumOf(
  'UnsentDeliveries',
  'What becomes of deliveries that are not sent when an event is erased.',
  {
    send_first:
      'The event is erased once each of its deliveries has succeeded, is exhausted or was canceled. The erasure waits for that.',
    cancel: 'They are canceled, and the event is erased at once.',
  },
)

builder.prismaObjectFields('BulkTask', (t) => ({
  searchKey: t.string({
    nullable: true,
    description:
      'The search key whose value is erased, such as `$.customer.email`. The value itself is not kept. Null for other tasks, and for an erasure by ids.',
    select: { selection: true },
    resolve: ({ selection }) => {
      const read = readSelection(JSON.stringify(selection))
      return 'unsent' in read ? (read.searchKey ?? null) : null
    },
  }),
  waiting: t.exposeInt('waiting'),
}))

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
      description: 'What becomes of the deliveries that are not sent yet.',
    }),
    dryRun: t.boolean({
      defaultValue: false,
      description: 'Whether to only count the events. Default: false.',
    }),
  }),
})

const EraseSuccess = builder.objectRef<StartedErasure>('EraseSuccess').implement({
  description: 'The erasure was started. For a dry run: the events were counted.',
  fields: (t) => ({
    task: t.prismaField({
      type: 'BulkTask',
      nullable: true,
      description: 'The running erasure. Null for a dry run.',
      resolve: (query, { taskId }, _args, context) =>
        taskId === null
          ? null
          : findBulkTask(context.prisma, callerOf(context).organizationId, taskId, query),
    }),
    count: t.exposeInt('count', { description: 'The number of events that are not erased yet.' }),
    countIsExact: t.exposeBoolean('exact', {
      description: `Whether \`count\` is exact: counting stops at ${english(MAX_COUNTED)}.`,
    }),
    unsentCount: t.exposeInt('unsent', {
      description: 'The number of deliveries of the counted events that are not sent yet.',
    }),
  }),
})

builder.mutationField('erase', (t) =>
  t.field({
    type: EraseSuccess,
    semanticNonNull: true,
    description:
      'Erases the contents of events for good, in the background: their payloads, their search keys, and what receivers answered. The records of what was published, sent and answered stay.',
    authScopes: { scope: 'data:erase' },
    errors: {
      types: [ValidationError, NotFoundError, ConflictError],
      directResult: true as const,
    },
    args: {
      input: t.arg({ type: EraseInput, required: true, description: 'What to erase.' }),
    },
    resolve: (_root, { input }, context) => erase(context, callerOf(context).organizationId, input),
  }),
)
