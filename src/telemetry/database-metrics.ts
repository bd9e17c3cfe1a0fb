import { Gauge, Registry } from 'prom-client'
import type { Config } from '../config/config.ts'
import type { Sql } from '../db/client.ts'
import { repeat } from '../lib/repeat.ts'

const EVERY_MS = 15_000

/**
 * Counts what is in the database at times, instead of at each scrape, and looks at its clock. Each process has the same
 * counts. `render` returns nothing if the last reading is outdated.
 */
export function watchDatabase(
  sql: Sql,
  { workerSchema, retentionMs }: Pick<Config, 'workerSchema' | 'retentionMs'>,
  onError: (error: unknown) => void,
): AsyncDisposable & { render(): Promise<string> } {
  const registry = new Registry()
  const show = createDatabaseMetrics(registry)
  let readAtMs = Number.NEGATIVE_INFINITY
  const read = async () => {
    show(await readDatabaseState(sql, workerSchema, retentionMs))
    readAtMs = performance.now()
  }
  return {
    ...repeat(EVERY_MS, read, onError),
    async render() {
      const isFresh = performance.now() - readAtMs < 2 * EVERY_MS
      return isFresh ? await registry.metrics() : ''
    },
  }
}

/** Numbers by the name of the gauge, or by its label. Ages are in seconds; 0 if there is nothing to count. */
type DatabaseState = Readonly<Record<string, number | Readonly<Record<string, number>>>>

/** A job that no worker has claimed this long after its time is overdue. */
const OVERDUE_AFTER_SECONDS = 10

const GAUGES_BY_STATE = ['deliveries', 'deliveries_oldest_age_seconds']

/** What each says. */
const GAUGES: Readonly<Record<string, string>> = {
  clock_difference_seconds: 'The clock of this process minus that of Postgres.',
  deliveries:
    'Deliveries that are not final: queued (no attempt yet), retrying, or waiting in the backlogs of their webhooks.',
  deliveries_oldest_age_seconds:
    'The time since the oldest delivery in this state was created; 0 if there is none.',
  deliveries_overdue: `Deliveries whose next attempt is more than ${OVERDUE_AFTER_SECONDS} seconds late because no worker has claimed it.`,
  deliveries_longest_overdue_seconds:
    'How late the most overdue delivery is; 0 if none is overdue.',
  deliveries_counts_capped:
    '1 if there are more jobs or waiting deliveries than were counted, so that the counts are too small; otherwise 0.',
  fan_out_deliveries: 'Deliveries that are not created yet, of published events for many webhooks.',
  webhooks_on_hold:
    'Webhooks on hold because they keep failing, not because their endpoint asked to wait.',
  webhooks_longest_hold_seconds:
    'How long one of the webhooks that keep failing has been on hold, at most; 0 if none is.',
  webhooks_with_backlog: 'Webhooks with waiting deliveries.',
  consumers_oldest_age_seconds:
    'The time since the oldest event that a consumer has not acknowledged was published; events of other types count until the next pull. 0 if there is none.',
  consumers_missed_events:
    'Events whose retention ended before the present consumers acknowledged them.',
  workers: 'Workers with a heartbeat in the last 12 seconds.',
  partitions_ahead:
    'Days after today that have a partition of each table: 7 after each run of the maintenance.',
  partitions_past_retention: 'Partitions that POSTHORN_RETENTION should have dropped.',
  state_read_seconds: 'How long Postgres took to count all this.',
}

/** Adds the gauges of the whole installation. Returns what shows a state in them. */
export function createDatabaseMetrics(registry: Registry): (state: DatabaseState) => void {
  const gauges = Object.entries(GAUGES).map(([name, help]) => {
    const labelNames = GAUGES_BY_STATE.includes(name) ? ['state'] : []
    const registers = [registry]
    return [name, new Gauge({ name: `posthorn_${name}`, help, labelNames, registers })] as const
  })
  return (state) => {
    for (const [name, gauge] of gauges) {
      const value = state[name]
      if (typeof value === 'number') gauge.set(value)
      else
        for (const [each, number] of Object.entries(value ?? {})) gauge.set({ state: each }, number)
    }
  }
}

/** At most this many jobs are read, those added first, and at most as many parked deliveries, those of the oldest days. */
const MAX_COUNTED = 100_000

/** Takes some 0.2 s of Postgres while there are `MAX_COUNTED` of both; the number of stored deliveries does not matter. */
export async function readDatabaseState(
  sql: Sql,
  workerSchema: string,
  retentionMs: number,
): Promise<DatabaseState> {
  const sentAtMs = Date.now()
  const { rows } = await sql.query<{ state: Record<string, number>; time_ms: number }>({
    name: 'read_database_state',
    text: readState(workerSchema),
    values: [MAX_COUNTED, OVERDUE_AFTER_SECONDS, retentionMs],
  })
  const [{ state, time_ms } = { state: {}, time_ms: 0 }] = rows
  return {
    ...state,
    clock_difference_seconds: (sentAtMs - time_ms) / 1_000,
    state_read_seconds: (Date.now() - sentAtMs) / 1_000,
  }
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
  fan_outs as (
    select sum(delivery_count - created_count) as to_create from posthorn.fan_outs
  ),
  -- Also counts events that the types or the filter of a consumer leave out: a pull skips them.
  consumers as (
    select coalesce(sum(c.missed_count), 0)::float8 as missed, coalesce(greatest(max(extract(epoch from now() - least(
      (select min(posthorn.uuid_v7_timestamp(l.event_ids[1])) from posthorn.consumer_leases as l
        where l.consumer_id = c.id),
      (select posthorn.uuid_v7_timestamp(b.id) from posthorn.published_batches as b
        where b.organization_id = c.organization_id and b.position > c.read_position order by b.position limit 1),
      (select posthorn.uuid_v7_timestamp(b.id) from posthorn.published_batches as b
        where b.organization_id = c.organization_id and b.position is null order by b.id limit 1)
    ))), 0), 0)::float8 as oldest_age
    from posthorn.event_consumers as c
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
  select (1000 * extract(epoch from statement_timestamp()))::float8 as time_ms, jsonb_build_object(
    'deliveries', jsonb_build_object('queued', queued, 'retrying', retrying, 'waiting', waiting),
    'deliveries_oldest_age_seconds', jsonb_build_object(
      'queued', ${ageOf(`posthorn.parse_type_id('msg', oldest_queued)`)},
      'retrying', ${ageOf(`posthorn.parse_type_id('msg', oldest_retrying)`)},
      'waiting', ${ageOf('oldest_waiting::uuid')}),
    'deliveries_overdue', overdue,
    'deliveries_longest_overdue_seconds', coalesce(longest_overdue, 0),
    'deliveries_counts_capped', (waiting >= $1 or (select count(*) from read_jobs) >= $1)::int,
    'fan_out_deliveries', coalesce(to_create, 0),
    'webhooks_on_hold', on_hold,
    'webhooks_longest_hold_seconds', coalesce(extract(epoch from now() - first_hold), 0),
    'webhooks_with_backlog', backlogs,
    'consumers_oldest_age_seconds', oldest_age,
    'consumers_missed_events', missed,
    'workers', (select count(*) from posthorn.workers
      where heartbeat_at > clock_timestamp() - interval '12 seconds'),
    'partitions_ahead', ahead,
    'partitions_past_retention', (select count(*) from posthorn.partitions_before(first_kept_day))
  ) as state
  from counted_jobs, parked, schedules, fan_outs, consumers, partitions,
    lateral (select (now() at time zone 'UTC' - $3 * interval '1 millisecond')::date as first_kept_day) as retention`

function ageOf(uuid: string): string {
  return `coalesce(greatest(extract(epoch from now() - posthorn.uuid_v7_timestamp(${uuid})), 0), 0)`
}
