import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { ConflictError, NotFoundError, ValidationError } from '../graphql/errors.ts'
import { findErasure } from './find-erasures.ts'
import { MAX_COUNTED } from './select-events.ts'
import { erase, MAX_IDS, type StartedErasure } from './start-erasure.ts'
import { UnsentDeliveries } from './unsent-deliveries.ts'

const english = (count: number) => count.toLocaleString('en')

const EraseInput = builder.inputType('EraseInput', {
  description:
    'The events to erase: exactly one of `eventIds` and `searchKey`. All deliveries of an event share its payload.',
  fields: (t) => ({
    eventIds: t.idList({
      description: `The ids of at most ${english(MAX_IDS)} events: \`evt_…\`.`,
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
    erasure: t.prismaField({
      type: 'Erasure',
      nullable: true,
      description: 'The running erasure. Null for a dry run.',
      resolve: (query, { erasureId }, _args, context) =>
        erasureId === null
          ? null
          : findErasure(context.prisma, callerOf(context).organizationId, erasureId, query),
    }),
    count: t.exposeInt('count', { description: 'The number of events that are not erased yet.' }),
    countIsExact: t.exposeBoolean('exact', {
      description: `Whether \`count\` is exact. Counting stops at ${english(MAX_COUNTED)}. The erasure itself has no such limit.`,
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
      union: { description: 'The result of `erase`.' },
    },
    args: {
      input: t.arg({ type: EraseInput, required: true, description: 'What to erase.' }),
    },
    resolve: (_root, { input }, context) => erase(context, callerOf(context).organizationId, input),
  }),
)
