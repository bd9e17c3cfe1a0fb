import type { Sql } from '../../../db/client.ts'
import { pageOf } from '../../../db/page.ts'
import { builder } from '../../../graphql/builder.ts'
import { type Context, withinReach } from '../../../graphql/context.ts'
import { enumOf } from '../../../graphql/enum-of.ts'
import { addList } from '../../../graphql/list.ts'
import { mutation } from '../../../graphql/mutation.ts'
import { organizationFields, organizationOf } from '../../../graphql/organization-fields.ts'
import { timestampOf } from '../../../lib/uuid-v7.ts'
import { deleteConsumer } from './consumer.ts'

const ConsumerState = enumOf('ConsumerState', 'How a consumer is doing.', {
  healthy: 'No event waits for more than 5 minutes.',
  behind: 'An event waits for more than 5 minutes.',
  no_pulls_yet: 'The consumer has not asked for events.',
})

/** A consumer is behind if its oldest waiting event is older, as a webhook is. */
const BEHIND_AFTER_MS = 5 * 60_000

const MAX_LEASES = 100

builder.prismaObject('ConsumerLease', {
  fields: (t) => ({
    expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
    eventCount: t.int({
      description: 'The number of events of the lease.',
      select: { eventIds: true },
      resolve: ({ eventIds }) => eventIds.length,
    }),
  }),
})

/** A field of what waits for a consumer. All these fields of the consumers of a page share one statement. */
function ofBacklog<Value>(show: (backlog: ConsumerBacklog) => Value) {
  return async (
    { id }: { readonly id: string },
    _args: object,
    { sql, perField }: Context,
    info: Parameters<Context['perField']>[0],
  ): Promise<Value> => {
    const shared = { ...info, path: { ...info.path, key: 'backlog' } }
    return show(await perField(shared, (ids: string[]) => readBacklogs(sql, ids))(id))
  }
}

builder.prismaNode('Consumer', {
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
      resolve: async (consumer, ...rest) => {
        const oldest = await ofBacklog(({ oldestWaitingAt }) => oldestWaitingAt)(consumer, ...rest)
        if (oldest && Date.now() - oldest.getTime() > BEHIND_AFTER_MS) return 'behind'
        return consumer.lastPulledAt === null ? 'no_pulls_yet' : 'healthy'
      },
    }),
    types: t.exposeStringList('types', {
      description: 'The names and patterns of event types of the last pull. Empty: all.',
    }),
    filterText: t.string({
      nullable: true,
      description: 'The filter of the last pull, as the text of its JSON. Null if it had none.',
      select: { filter: true },
      resolve: ({ filter }) => filter,
    }),
    waitingCount: t.int({
      description: `The number of events of the types that are not acknowledged. Of events that nobody has read, the first ${MAX_COUNTED.toLocaleString('en')} are counted, and the filter may refuse some of them.`,
      complexity: 10,
      resolve: ofBacklog(({ waiting }) => waiting),
    }),
    waitingCountIsExact: t.boolean({
      description: 'Whether `waitingCount` is exact: no filter, and few unread events.',
      complexity: 10,
      resolve: ofBacklog(({ isExact }) => isExact),
    }),
    oldestWaitingAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the oldest waiting event was published. Null if none waits.',
      complexity: 10,
      resolve: ofBacklog(({ oldestWaitingAt }) => oldestWaitingAt),
    }),
    lastPulledAt: t.expose('lastPulledAt', { type: 'DateTime', nullable: true }),
    missedCount: t.float({
      description:
        'The number of events that were deleted at the end of their retention before they were acknowledged. Of those that nobody had read, events of all types count.',
      select: { missedCount: true },
      resolve: ({ missedCount }) => Number(missedCount),
    }),
    lastMissedAt: t.expose('lastMissedAt', { type: 'DateTime', nullable: true }),
    openLeases: t.relation('leases', {
      description: `The leases whose events are not acknowledged, the first to expire first: at most ${MAX_LEASES}. After \`expiresAt\`, the next pull gets the events.`,
      query: { orderBy: { expiresAt: 'asc' }, take: MAX_LEASES },
      complexity: { field: 1, multiplier: MAX_LEASES },
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When the consumer asked for events for the first time.',
      resolve: ({ id }) => timestampOf(id),
    }),
  }),
})

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
    resolve: (query, organization, { name }, context) => {
      const organizationId = organizationOf(organization, context)
      const where = { organizationId_name: { organizationId, name } }
      return context.prisma.consumer.findUnique({ ...query, where })
    },
  }),
}))

addList('Organization', 'consumers', 'Consumer', {
  description:
    'The consumers of the organization, newest first: those who ask for events with `pullEvents` of `/graphql/events`, or over HTTP.',
  scope: 'events:read',
  find: (query, organizationId, _args, { prisma }) => {
    const { where, ...page } = pageOf(query, 'newest first')
    return prisma.consumer.findMany({ ...page, where: { ...where, organizationId } })
  },
})

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

/** Unread events of a consumer that are counted. */
const MAX_COUNTED = 1_000

/** What waits for a consumer. */
interface ConsumerBacklog {
  /** Events that are not acknowledged, of the types of the consumer. */
  readonly waiting: number
  /** Whether no more events wait than were counted, and no filter could refuse some. */
  readonly isExact: boolean
  /** When the oldest of them was published. */
  readonly oldestWaitingAt: Date | null
}

/** The backlogs of consumers, in the order of their uuids, of which some may be the same. */
async function readBacklogs(sql: Sql, consumerIds: readonly string[]): Promise<ConsumerBacklog[]> {
  const ids = [...new Set(consumerIds)]
  const { rows } = await sql.query<ConsumerBacklog>({
    name: 'read_consumer_backlogs',
    text: READ_BACKLOGS,
    values: [ids, MAX_COUNTED],
  })
  return consumerIds.map((id) => rows[ids.indexOf(id)] as ConsumerBacklog)
}

/** The indexes of the batches and the primary key of the events serve it. */
const READ_BACKLOGS = `
  select leased.count + unread.count as waiting, unread.scanned < $2 and c.filter is null as "isExact",
    least(leased.oldest, unread.oldest) as "oldestWaitingAt"
  from unnest($1::uuid[]) with ordinality as given (id, n)
  left join posthorn.event_consumers as c on c.id = given.id
  cross join lateral (
    select coalesce(sum(cardinality(l.event_ids)), 0)::int as count,
      min(posthorn.uuid_v7_timestamp(l.event_ids[1])) as oldest
    from posthorn.consumer_leases as l where l.consumer_id = c.id
  ) as leased
  cross join lateral (
    select count(*)::int as scanned, count(*) filter (where is_wanted)::int as count,
      min(posthorn.uuid_v7_timestamp(id)) filter (where is_wanted) as oldest
    from (
      select unread.id, case when c.types = '{}' then not starts_with(e.type, 'posthorn.')
        else c.types && posthorn.subscriptions_to(e.type) end as is_wanted
      from (
        select u.id from (
          select position, event_ids from posthorn.published_batches
          where organization_id = c.organization_id and position >= c.read_position
          order by position limit $2
        ) as b, unnest(b.event_ids) with ordinality as u (id, n)
        where b.position > c.read_position or u.n > c.read_index + 1
        union all
        select u.id from (
          select event_ids from posthorn.published_batches
          where organization_id = c.organization_id and position is null
          order by id limit $2
        ) as b, unnest(b.event_ids) as u (id)
        limit $2
      ) as unread
      join posthorn.events as e on e.id = unread.id and e.organization_id = c.organization_id
    ) as typed
  ) as unread
  order by given.n`
