import type { Sql } from '../../../db/client.ts'

export type ConsumerHealth = 'healthy' | 'behind' | 'no_pulls'

/** A consumer is behind if its oldest waiting event is older, as a webhook is. */
export const BEHIND_AFTER_MS = 5 * 60_000

/** Unread events of a consumer that are counted. */
export const MAX_COUNTED = 1_000

/** What waits for a consumer. */
export interface ConsumerBacklog {
  /** Events that are not acknowledged, of the types of the consumer. */
  readonly waiting: number
  /** Whether no more events wait than were counted, and no filter could refuse some. */
  readonly isExact: boolean
  /** When the oldest of them was published. */
  readonly oldestWaitingAt: Date | null
}

export function healthOf(
  { lastPulledAt }: { readonly lastPulledAt: Date | null },
  { oldestWaitingAt }: ConsumerBacklog,
  now = Date.now(),
): ConsumerHealth {
  if (oldestWaitingAt && now - oldestWaitingAt.getTime() > BEHIND_AFTER_MS) return 'behind'
  return lastPulledAt === null ? 'no_pulls' : 'healthy'
}

/** The backlogs of consumers, in the order of their uuids. */
export async function readBacklogs(
  sql: Sql,
  consumerIds: readonly string[],
): Promise<ConsumerBacklog[]> {
  const { rows } = await sql.query<ConsumerBacklog>({
    name: 'read_consumer_backlogs',
    text: READ_BACKLOGS,
    values: [consumerIds, MAX_COUNTED],
  })
  return rows
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
