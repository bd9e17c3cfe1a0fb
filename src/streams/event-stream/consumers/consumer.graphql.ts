import { builder } from '../../../graphql/builder.ts'
import { type Context, withinReach } from '../../../graphql/context.ts'
import { mutation } from '../../../graphql/mutation.ts'
import { organizationFields, organizationOf } from '../../../graphql/organization-fields.ts'
import { timestampOf } from '../../../lib/uuid-v7.ts'
import { deleteConsumer, findConsumerByName, findConsumers } from './consumer.ts'
import {
  type ConsumerBacklog,
  type ConsumerHealth,
  healthOf,
  MAX_COUNTED,
  readBacklogs,
} from './consumer-state.ts'

const ConsumerState = builder.enumType('ConsumerState', {
  description: 'How a consumer is doing.',
  values: {
    HEALTHY: { value: 'healthy', description: 'No event waits for more than 5 minutes.' },
    BEHIND: {
      value: 'behind',
      description: 'An event waits for more than 5 minutes.',
    },
    NO_PULLS_YET: { value: 'no_pulls', description: 'The consumer has not asked for events.' },
  } as const satisfies Record<string, { value: ConsumerHealth; description: string }>,
})

const MAX_LEASES = 100

const ConsumerLease = builder.prismaObject('ConsumerLease', {
  fields: (t) => ({
    expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
    eventCount: t.int({
      description: 'The number of events of the lease.',
      select: { eventIds: true },
      resolve: ({ eventIds }) => eventIds.length,
    }),
  }),
})

type Info = Parameters<Context['perField']>[0]

const known = new WeakMap<object, Promise<ConsumerBacklog>>()

/** All fields of a consumer share one read, and all consumers of a page one statement. */
async function backlogOf(
  consumer: { readonly id: string },
  { sql, perField }: Context,
  info: Info,
): Promise<ConsumerBacklog> {
  const shared = { ...info, path: { ...info.path, key: 'backlog' } }
  const read = perField(shared, (ids: string[]) => readBacklogs(sql, ids))
  const backlog = known.get(consumer) ?? read(consumer.id)
  known.set(consumer, backlog)
  return await backlog
}

function ofBacklog<Name extends keyof ConsumerBacklog>(name: Name) {
  return async (consumer: { readonly id: string }, _args: object, context: Context, info: Info) =>
    (await backlogOf(consumer, context, info))[name]
}

const Consumer = builder.prismaNode('Consumer', {
  id: { field: 'id' },
  findUnique: (id, context) => ({ id, ...withinReach(context) }),
  nullable: true,
  extensions: { readScope: 'events:read' },
  select: { id: true },
  fields: (t) => ({
    name: t.exposeString('name'),
    state: t.field({
      type: ConsumerState,
      description: 'How the consumer is doing.',
      select: { lastPulledAt: true },
      complexity: 10,
      resolve: async (consumer, _args, context, info) =>
        healthOf(consumer, await backlogOf(consumer, context, info)),
    }),
    types: t.exposeStringList('types', {
      description: 'The names and patterns of event types of the last pull. Empty: all.',
    }),
    filter: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'The filter of the last pull. Null if it had none. Numbers are doubles; `filterText` has their digits.',
      select: { filter: true },
      resolve: ({ filter }) => filter && JSON.parse(filter),
    }),
    filterText: t.string({
      nullable: true,
      description: 'The text of the filter as JSON. Null if there is none.',
      select: { filter: true },
      resolve: ({ filter }) => filter,
    }),
    waitingCount: t.int({
      description: `The number of events of the types that are not acknowledged. Of events that nobody has read, the first ${MAX_COUNTED.toLocaleString('en')} are counted, and the filter may refuse some of them.`,
      complexity: 10,
      resolve: ofBacklog('waiting'),
    }),
    waitingCountIsExact: t.boolean({
      description: 'Whether `waitingCount` is exact: no filter, and few unread events.',
      complexity: 10,
      resolve: ofBacklog('isExact'),
    }),
    oldestWaitingAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the oldest waiting event was published. Null if none waits.',
      complexity: 10,
      resolve: ofBacklog('oldestWaitingAt'),
    }),
    lastPulledAt: t.expose('lastPulledAt', { type: 'DateTime', nullable: true }),
    missedCount: t.float({
      description:
        'The number of events that were deleted at the end of their retention before they were acknowledged. Of those that nobody had read, events of all types count.',
      select: { missedCount: true },
      resolve: ({ missedCount }) => Number(missedCount),
    }),
    lastMissedAt: t.expose('lastMissedAt', { type: 'DateTime', nullable: true }),
    openLeases: t.prismaField({
      type: [ConsumerLease],
      description: `The leases whose events are not acknowledged, the first to expire first: at most ${MAX_LEASES}. After \`expiresAt\`, the next pull gets the events.`,
      select: (_args, _context, nestedSelection) => ({
        leases: nestedSelection({
          orderBy: { expiresAt: 'asc' },
          take: MAX_LEASES,
        }),
      }),
      complexity: { field: 1, multiplier: MAX_LEASES },
      resolve: (_query, { leases }) => leases,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When the consumer asked for events for the first time.',
      resolve: ({ id }) => timestampOf(id),
    }),
  }),
})

const ConsumerConnection = builder.connectionObject(
  { type: Consumer, name: 'ConsumerConnection', description: 'A page of consumers.' },
  { name: 'ConsumerEdge', description: 'A consumer in a page.' },
)

organizationFields((t) => ({
  consumer: t.prismaField({
    type: 'Consumer',
    nullable: true,
    description: 'The consumer with this name, or null.',
    authScopes: { scope: 'events:read' },
    args: {
      name: t.arg.string({
        required: true,
        description: 'The name of a consumer.',
      }),
    },
    resolve: (query, organization, { name }, context) =>
      findConsumerByName(context.prisma, organizationOf(organization, context), name, query),
  }),
  consumers: t.prismaConnection(
    {
      type: 'Consumer',
      cursor: 'id',
      semanticNonNull: true,
      description:
        'The consumers of the organization, newest first: those who ask for events with `pullEvents` of `/graphql/events`, or over HTTP.',
      authScopes: { scope: 'events:read' },
      resolve: (query, organization, _args, context) =>
        findConsumers(context.prisma, organizationOf(organization, context), query),
    },
    ConsumerConnection,
  ),
}))

mutation('deleteConsumer', {
  description:
    'Deletes a consumer with its place in the events. A later pull with the name creates a new consumer.',
  scope: 'webhooks:write',
  id: 'consumer',
  returns: ['id', 'ID', 'The id of the deleted consumer.'],
  run: async ({ id }, { sql, actor }, { organizationId }) => {
    await deleteConsumer(sql, organizationId, id, actor)
    return id
  },
})
