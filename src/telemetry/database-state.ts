import type { Sql } from '../db/client.ts'

/** What the metrics show of the database. Ages are in seconds; 0 if there is nothing to count. */
export interface DatabaseState {
  readonly queued: number
  readonly oldestQueuedAge: number
  readonly retrying: number
  readonly oldestRetryingAge: number
  readonly waiting: number
  readonly oldestWaitingAge: number
  readonly overdue: number
  readonly longestOverdue: number
  /** Whether there are more jobs or parked deliveries than were counted. */
  readonly isCapped: boolean
  /** The deliveries that are not created yet, of events that fan out. */
  readonly toCreate: number
  readonly oldestFanOutAge: number
  /** The number of webhooks in each state that one of them is in. */
  readonly webhooks: Readonly<Record<string, number>>
  /** The age of the oldest delivery in the backlogs, by what their webhooks wait for. */
  readonly oldestWaitingAges: Readonly<Record<string, number>>
  readonly webhooksOnHold: number
  readonly longestHold: number
  readonly webhooksWithBacklog: number
  /** The number of consumers in each state that one of them is in. */
  readonly consumers: Readonly<Record<string, number>>
  /** The age of the oldest event that a consumer has not acknowledged. */
  readonly oldestConsumerAge: number
  /** Events that consumers missed, because their retention ended. */
  readonly missedEvents: number
  readonly workers: number
  readonly partitionsAhead: number
  readonly partitionsPastRetention: number
}

/** At most this many jobs are read, those added first, and at most as many parked deliveries, those of the oldest days. */
export const MAX_COUNTED = 100_000

/** A job that no worker has claimed this long after its time is overdue. */
export const OVERDUE_AFTER_SECONDS = 10

/** Takes some 0.2 s of Postgres while there are `MAX_COUNTED` of both; the number of stored deliveries does not matter. */
export async function readDatabaseState(
  sql: Sql,
  workerSchema: string,
  retentionMs: number,
): Promise<DatabaseState> {
  const { rows } = await sql.query<DatabaseState>({
    name: 'read_database_state',
    text: readState(workerSchema),
    values: [MAX_COUNTED, OVERDUE_AFTER_SECONDS, retentionMs],
  })
  return rows[0] as DatabaseState
}

/**
 * The primary key of the jobs, and the indexes deliveries_parked and webhook_schedules_backlogs serve it. A claim counts
 * in the attempts of a job before the attempt is made. The key of a job has the time of its delivery.
 */
const readState = (workerSchema: string) => `
  with read_jobs as (
    select key collate "C" as key, task_identifier, run_at, attempts, max_attempts, locked_at is not null as is_claimed
    from ${workerSchema}.jobs order by id limit $1
  ),
  jobs as (
    select key, is_claimed, attempts - is_claimed::int as made,
      case when not is_claimed then greatest(extract(epoch from now() - run_at), 0) else 0 end as late
    from read_jobs
    where task_identifier = 'posthorn:deliver' and key is not null and (is_claimed or attempts < max_attempts)
  ),
  counted_jobs as (
    select count(*) filter (where made = 0) as queued, min(key) filter (where made = 0) as oldest_queued,
      count(*) filter (where made > 0) as retrying, min(key) filter (where made > 0) as oldest_retrying,
      count(*) filter (where late > $2) as overdue, max(late) filter (where late > $2) as longest_overdue
    from jobs
  ),
  parked as (
    select count(*) as waiting, min(event_id) as oldest_waiting
    from (select event_id::text from posthorn.deliveries where parked_at is not null limit $1) as d
  ),
  schedules as (
    select count(*) filter (where exists (
        select from posthorn.deliveries as d where d.webhook_id = s.webhook_id and d.parked_at is not null)) as backlogs,
      count(on_hold_since) filter (where on_hold_reason = 'failing') as on_hold,
      min(on_hold_since) filter (where on_hold_reason = 'failing') as first_hold
    from posthorn.webhook_schedules as s where backlog_since is not null
  ),
  webhooks as materialized (
    select state, waits_for, oldest_waiting_at from posthorn.webhook_states
  ),
  states as (
    select jsonb_object_agg(state, count) as webhooks from (
      select state, count(*) as count from webhooks group by state
    ) as counted
  ),
  ages as (
    select jsonb_object_agg(waits_for, age) as oldest_waiting_ages from (
      select waits_for, extract(epoch from now() - min(oldest_waiting_at)) as age
      from webhooks where oldest_waiting_at is not null group by waits_for
    ) as oldest
  ),
  fan_outs as (
    select sum(delivery_count - created_count) as to_create, min(id::text) as oldest_fan_out from posthorn.fan_outs
  ),
  -- The types and filters of consumers do not count: whoever pulls gets past other events.
  read_consumers as materialized (
    select c.last_pulled_at, c.missed_count, greatest(extract(epoch from now() - least(
      (select min(posthorn.uuid_v7_timestamp(l.event_ids[1])) from posthorn.consumer_leases as l
        where l.consumer_id = c.id and l.ended_at is null),
      (select posthorn.uuid_v7_timestamp(b.id) from posthorn.published_batches as b
        where b.organization_id = c.organization_id and b.position > c.read_position order by b.position limit 1),
      (select posthorn.uuid_v7_timestamp(b.id) from posthorn.published_batches as b
        where b.organization_id = c.organization_id and b.position is null order by b.id limit 1)
    )), 0)::float8 as age
    from posthorn.event_consumers as c
  ),
  consumers as (
    select jsonb_object_agg(state, count) as consumers from (
      select case when age > 300 then 'behind' when last_pulled_at is null then 'no_pulls' else 'healthy' end as state,
        count(*) as count
      from read_consumers group by 1
    ) as counted
  ),
  consumer_totals as (
    select coalesce(max(age), 0) as oldest_age, coalesce(sum(missed_count), 0)::float8 as missed from read_consumers
  ),
  partitions as (
    -- Of the table that has the fewest.
    select min(days) as ahead from (
      select count(child.oid) as days
      from unnest(array['events', 'event_keys', 'deliveries', 'attempts']) as parent
      left join pg_class as child on child.relnamespace = 'posthorn_partitions'::regnamespace and child.relispartition
        and child.relname ~ ('^' || parent || '_[0-9]{8}$')
        and right(child.relname, 8) collate "C" > to_char(now() at time zone 'UTC', 'YYYYMMDD')
      group by parent
    ) as by_table
  )
  select queued::int, ${ageOf(`posthorn.parse_type_id('msg', oldest_queued)`)} as "oldestQueuedAge",
    retrying::int, ${ageOf(`posthorn.parse_type_id('msg', oldest_retrying)`)} as "oldestRetryingAge",
    waiting::int, ${ageOf('oldest_waiting::uuid')} as "oldestWaitingAge",
    overdue::int, coalesce(longest_overdue, 0)::float8 as "longestOverdue",
    waiting >= $1 or (select count(*) from read_jobs) >= $1 as "isCapped",
    coalesce(to_create, 0)::float8 as "toCreate", ${ageOf('oldest_fan_out::uuid')} as "oldestFanOutAge",
    coalesce(webhooks, '{}') as webhooks, coalesce(oldest_waiting_ages, '{}') as "oldestWaitingAges",
    on_hold::int as "webhooksOnHold", coalesce(extract(epoch from now() - first_hold), 0)::float8 as "longestHold",
    backlogs::int as "webhooksWithBacklog",
    coalesce(consumers, '{}') as consumers, oldest_age as "oldestConsumerAge", missed as "missedEvents",
    (select count(*)::int from posthorn.workers
      where heartbeat_at > clock_timestamp() - interval '12 seconds') as workers,
    ahead::int as "partitionsAhead",
    (select count(*)::int from posthorn.partitions_before(first_kept_day))
      + (select count(*)::int from posthorn.default_partitions_before(first_kept_day)) as "partitionsPastRetention"
  from counted_jobs, parked, schedules, states, ages, fan_outs, consumers, consumer_totals, partitions,
    lateral (select (now() at time zone 'UTC' - $3 * interval '1 millisecond')::date as first_kept_day) as retention`

function ageOf(uuid: string): string {
  return `coalesce(greatest(extract(epoch from now() - posthorn.uuid_v7_timestamp(${uuid})), 0), 0)::float8`
}
