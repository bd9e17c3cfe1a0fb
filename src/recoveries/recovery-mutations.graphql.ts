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
    /** The retention of events, in ms. */
    readonly retentionMs: number
  }
}

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

builder.prismaObjectField('Recovery', 'include', (t) =>
  t.expose('include', {
    type: RecoveryInclude,
    description: 'Which deliveries the recovery queues.',
  }),
)

const RecoverDeliveriesInput = builder.inputType('RecoverDeliveriesInput', {
  description: 'The recovery.',
  fields: (t) => ({
    webhookId: t.id({ required: true, description: 'The id of the webhook: `wh_…`.' }),
    since: t.field({
      type: 'DateTime',
      required: true,
      description:
        'Recovers events published at or after this time. It must be within POSTHORN_RETENTION (default: 30 days).',
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
    ratePerSecond: t.int({
      description: `The maximum number of deliveries to queue per second: 1 to ${MAX_RATE_PER_SECOND.toLocaleString('en')}. Default: ${DEFAULT_RATE_PER_SECOND}.`,
    }),
    dryRun: t.boolean({
      defaultValue: false,
      description:
        'Whether to only count the deliveries. Nothing is changed, and the webhook may be disabled. Default: false.',
    }),
  }),
})

const BegunRecoveryRef = builder.objectRef<StartedRecovery>('RecoverDeliveriesSuccess').implement({
  description: 'The recovery was started. For a dry run: the deliveries were counted.',
  fields: (t) => ({
    recovery: t.prismaField({
      type: 'Recovery',
      nullable: true,
      description: 'The running recovery. Null for a dry run.',
      resolve: (query, { recoveryUuid }, _args, context) =>
        recoveryUuid === null
          ? null
          : findRecovery(context.prisma, callerOf(context).organizationId, recoveryUuid, query),
    }),
    count: t.exposeInt('count', {
      description: 'The number of deliveries that the recovery queues, or would queue.',
    }),
    countIsExact: t.exposeBoolean('exact', {
      description: `Whether \`count\` is exact. At most ${MAX_COUNTED.toLocaleString('en')} exhausted deliveries and ${MAX_COUNTED.toLocaleString('en')} events are counted. The recovery itself has no such limit.`,
    }),
  }),
})

builder.mutationFields((t) => ({
  recoverDeliveries: t.field({
    type: BegunRecoveryRef,
    nullable: true,
    description:
      'Queues the deliveries that failed or that a webhook missed in a time range, in the background and at a limited rate. Safe to repeat: unfinished, succeeded and canceled deliveries do not change, and no delivery is created twice. Test deliveries are skipped. The webhook must be enabled and have no running recovery.',
    authScopes: { scope: 'deliveries:write' },
    portal: changesNode('webhook', ({ input }) => input.webhookId),
    errors: {
      types: [ValidationError, NotFoundError, ConflictError],
      directResult: true,
      union: { description: 'The result of `recoverDeliveries`.' },
    },
    args: {
      input: t.arg({
        type: RecoverDeliveriesInput,
        required: true,
        description: 'The recovery.',
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
      'Cancels a running recovery, within one second. Queued deliveries stay queued; the rest can be recovered later.',
    authScopes: { scope: 'deliveries:write' },
    portal: changesNode('recovery'),
    errors: {
      types: [NotFoundError, ConflictError],
      dataField: { name: 'recovery', description: 'The canceled recovery.' },
      result: { description: 'The recovery was canceled.' },
      union: { description: 'The result of `cancelRecovery`.' },
    },
    args: { id: t.arg.id({ required: true, description: 'The id of the recovery: `rec_…`.' }) },
    resolve: async (query, _root, { id }, context) => {
      const { organizationId } = callerOf(context)
      await cancelRecovery(context.prisma, organizationId, id, context.actor)
      return await rereadRecovery(context.prisma, organizationId, id, query)
    },
  }),
}))
