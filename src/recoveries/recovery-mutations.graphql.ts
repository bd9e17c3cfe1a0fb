import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { ConflictError, NotFoundError, ValidationError } from '../graphql/errors.ts'
import { changesNode } from '../graphql/portal-access.ts'
import { recoverDeliveries, type StartedRecovery } from './recover-deliveries.ts'
import { cancelRecovery, findRecovery, rereadRecovery } from './recovery.ts'
import { MAX_COUNTED } from './recovery-count.ts'
import { DEFAULT_RATE_PER_SECOND, MAX_RATE_PER_SECOND } from './recovery-scope.ts'

declare module '../graphql/context.ts' {
  interface DomainDeps {
    /** How long events are kept, in ms. */
    readonly retentionMs: number
  }
}

const RecoveryInclude = builder.enumType('RecoveryInclude', {
  description: 'Which deliveries a recovery makes due.',
  values: {
    FAILED: {
      value: 'failed',
      description: 'Those that are exhausted: they are redelivered, under the same `wh-id`.',
    },
    MISSED: {
      value: 'missed',
      description:
        'New ones, of the events that the webhook subscribes to now and has no delivery of: they were published while it was disabled, or before it subscribed.',
    },
    ALL: { value: 'all', description: 'Both.' },
  } as const,
})

builder.prismaObjectField('Recovery', 'include', (t) =>
  t.expose('include', { type: RecoveryInclude, description: 'Which deliveries it makes due.' }),
)

const RecoverDeliveriesInput = builder.inputType('RecoverDeliveriesInput', {
  description: 'What to recover.',
  fields: (t) => ({
    webhookId: t.id({ required: true, description: 'The id of the webhook: `wh_…`.' }),
    since: t.field({
      type: 'DateTime',
      required: true,
      description:
        'The events published then or later. Not before what is kept (POSTHORN_RETENTION, 30 days unless set).',
    }),
    until: t.field({
      type: 'DateTime',
      description: 'The events published before. Default: now, and a time to come counts as now.',
    }),
    include: t.field({
      type: RecoveryInclude,
      description: 'Which deliveries. Default: ALL.',
    }),
    ratePerSecond: t.int({
      description: `How many deliveries to make due in a second at most: 1 to ${MAX_RATE_PER_SECOND.toLocaleString('en')}. Default: ${DEFAULT_RATE_PER_SECOND}.`,
    }),
    dryRun: t.boolean({
      defaultValue: false,
      description: 'Whether only to count: nothing is changed, and the webhook may be disabled.',
    }),
  }),
})

const BegunRecoveryRef = builder.objectRef<StartedRecovery>('RecoverDeliveriesSuccess').implement({
  description: 'The recovery has begun or, of a dry run, was counted.',
  fields: (t) => ({
    recovery: t.prismaField({
      type: 'Recovery',
      nullable: true,
      description: 'The recovery, running. Null of a dry run.',
      resolve: (query, { recoveryUuid }, _args, context) =>
        recoveryUuid === null
          ? null
          : findRecovery(context.prisma, callerOf(context).organizationId, recoveryUuid, query),
    }),
    count: t.exposeInt('count', {
      description: 'How many deliveries it makes due, or would make due.',
    }),
    countIsExact: t.exposeBoolean('exact', {
      description: `Whether \`count\` is all of them. Of the exhausted deliveries and of the events in that time, the first ${MAX_COUNTED.toLocaleString('en')} each are counted; the recovery itself has no such bound.`,
    }),
  }),
})

builder.mutationFields((t) => ({
  recoverDeliveries: t.field({
    type: BegunRecoveryRef,
    nullable: true,
    description:
      'Makes due, in the background and at a bounded rate, what a webhook did not receive of the events published in some time. Safe to repeat: a delivery that is pending, succeeded or was canceled is left alone, and nothing is created twice. Test deliveries are skipped. The webhook must be enabled, and have no other recovery running. Needs the scope `deliveries:write`.',
    authScopes: { scope: 'deliveries:write' },
    portal: changesNode('webhook', ({ input }) => input.webhookId),
    errors: {
      types: [ValidationError, NotFoundError, ConflictError],
      directResult: true,
      union: { description: 'What `recoverDeliveries` answers with.' },
    },
    args: {
      input: t.arg({
        type: RecoverDeliveriesInput,
        required: true,
        description: 'What to recover.',
      }),
    },
    resolve: (_root, { input: { webhookId, dryRun, ...input } }, context) =>
      recoverDeliveries(context, callerOf(context).organizationId, webhookId, {
        ...input,
        dryRun: dryRun ?? false,
      }),
  }),

  cancelRecovery: t.prismaField({
    type: 'Recovery',
    nullable: true,
    description:
      'Ends a running recovery, within a second. What it made due stays due, and what it did not can be recovered later. Needs the scope `deliveries:write`.',
    authScopes: { scope: 'deliveries:write' },
    portal: changesNode('recovery'),
    errors: {
      types: [NotFoundError, ConflictError],
      dataField: { name: 'recovery', description: 'The recovery, canceled.' },
      result: { description: 'The recovery is canceled.' },
      union: { description: 'What `cancelRecovery` answers with.' },
    },
    args: { id: t.arg.id({ required: true, description: 'The id of the recovery: `rec_…`.' }) },
    resolve: async (query, _root, { id }, context) => {
      const { organizationId } = callerOf(context)
      await cancelRecovery(context.prisma, organizationId, id, context.actor)
      return await rereadRecovery(context.prisma, organizationId, id, query)
    },
  }),
}))
