import type { Sql } from '../db/client.ts'
import { sumLatencies } from './latency.ts'
import { PARKED_REASONS, type WebhookState } from './webhook-state.ts'

export const ON_TIME_RATE =
  'The share of the deliveries of the last hour that arrived within a minute of their creation, from 0 to 1. The others arrived later, were exhausted, or have not arrived and are older than a minute; of the latter, at most 10,000 are counted. Null if there were none.'

/** What a delivery waits for: its webhook, the time of its retry, or a worker. */
export const WAITING_REASONS = {
  ...PARKED_REASONS,
  retry: 'The time of its next attempt, after a failed one.',
  capacity:
    'A worker of this installation, for more than 10 seconds. Counted from the second minute after its creation.',
} as const

/** Deliveries of one organization that wait for the same reason. */
export interface Waiting {
  readonly reason: keyof typeof WAITING_REASONS
  readonly count: number
  readonly oldestAt: Date | null
}

/** Upper bound of each count, as a backlog may have millions of deliveries. */
export const MAX_COUNTED = 10_000

/** Minutes of the statistics `t` of the last hour. */
const LAST_HOUR = `t.minutes = 1 and t.bucket > now() - interval '1 hour'`

/** Of each webhook or organization, by the indexes of the deliveries on it, their state and their id. */
export async function readOnTimeRates(
  sql: Sql,
  column: 'webhook_id' | 'organization_id',
  uuids: readonly string[],
): Promise<(number | null)[]> {
  const { rows } = await sql.query<{ rate: number | null }>({
    name: `read_on_time_rates_by_${column}`,
    text: `
      select (counted.on_time / nullif(counted.on_time + counted.others + pending.late, 0))::float8 as rate
      from unnest($1::uuid[]) with ordinality as given (id, n)
      cross join lateral (
        select coalesce(sum(t.on_time), 0)::float8 as on_time, coalesce(sum(t.late + t.exhausted), 0)::float8 as others
        from posthorn.webhook_statistics as t where t.subject_id = given.id and ${LAST_HOUR}
      ) as counted
      cross join lateral (
        select count(*) as late from (
          select from posthorn.deliveries as d
          where d.${column} = given.id and d.indexed_state in ('queued', 'retrying', 'waiting')
            and d.id < posthorn.uuid_v7_lower_bound(now() - interval '1 minute')
          limit ${MAX_COUNTED}
        ) as found
      ) as pending
      order by n`,
    values: [uuids],
  })
  return rows.map(({ rate }) => rate)
}

/** Of the last hour: the times until the first attempt, or the durations of attempts. Null if there were none. */
export async function readHistograms(
  sql: Sql,
  column: 'first_delay' | 'latency',
  organizations: readonly string[],
): Promise<(readonly number[] | null)[]> {
  const { rows } = await sql.query<{ counts: readonly number[] }>({
    name: `read_histograms_of_${column}`,
    text: `
      select ${sumLatencies(`t.${column}`)} as counts from unnest($1::uuid[]) with ordinality as given (id, n)
      left join posthorn.webhook_statistics as t on t.subject_id = given.id and ${LAST_HOUR}
      group by n order by n`,
    values: [organizations],
  })
  return rows.map(({ counts }) => (counts.some((count) => count > 0) ? counts : null))
}

interface WaitingRow extends Waiting {
  readonly organizationId: string
}

/**
 * By reason, in the order of `WAITING_REASONS`. A parked delivery waits for what its webhook waits for now. The ages of
 * backlogs are those of the last evaluation.
 */
export async function readWaiting(
  sql: Sql,
  organizations: readonly string[],
): Promise<Waiting[][]> {
  const { rows } = await sql.query<WaitingRow>({
    name: 'read_waiting',
    text: READ_WAITING,
    values: [organizations],
  })
  const byOrganization = Map.groupBy(rows, ({ organizationId }) => organizationId)
  return organizations.map((id) => {
    const found = byOrganization.get(id) ?? []
    return Object.keys(WAITING_REASONS).flatMap(
      (name) => found.find(({ reason }) => reason === name) ?? [],
    )
  })
}

const READ_WAITING = `
  with backlog as materialized (
    select organization_id, webhook_id as id, waits_for as reason, oldest_waiting_at from posthorn.webhook_states
    where organization_id = any ($1::uuid[]) and has_backlog
  ),
  pending as materialized (
    select given.id as organization_id, d.state, d.at from unnest($1::uuid[]) as given (id)
    cross join unnest(array['retrying', 'queued']::posthorn.indexed_delivery_state[]) as wanted (state)
    cross join lateral (
      select wanted.state, posthorn.uuid_v7_timestamp(d.id) as at from posthorn.deliveries as d
      where d.organization_id = given.id and d.indexed_state = wanted.state
        and (wanted.state = 'retrying' or d.next_attempt_at < now() - interval '10 seconds')
      order by d.id limit ${MAX_COUNTED}
    ) as d
  )
  select * from (
    select groups.organization_id as "organizationId", reason, (
        select count(*)::int from (
          select from backlog as b cross join lateral (
            select from posthorn.deliveries as d where d.webhook_id = b.id and d.parked_at is not null limit ${MAX_COUNTED}
          ) as parked
          where b.organization_id = groups.organization_id and b.reason = groups.reason limit ${MAX_COUNTED}
        ) as counted
      ) as count, groups.oldest_at as "oldestAt"
    from (
      select organization_id, reason, min(oldest_waiting_at) as oldest_at from backlog group by 1, 2
    ) as groups
    union all
    select organization_id, case state when 'retrying' then 'retry' else 'capacity' end, count(*)::int, min(at)
    from pending group by organization_id, state
  ) as found
  where count > 0`

export interface StateCount {
  readonly state: WebhookState
  readonly count: number
}

/** How many webhooks of each organization are in each state that one of them is in. */
export async function countStates(
  sql: Sql,
  organizations: readonly string[],
): Promise<StateCount[][]> {
  const { rows } = await sql.query<StateCount & { organizationId: string }>({
    name: 'count_webhook_states',
    text: `
      select organization_id as "organizationId", state, count(*)::int as count from posthorn.webhook_states
      where organization_id = any ($1::uuid[]) group by 1, 2`,
    values: [organizations],
  })
  const byOrganization = Map.groupBy(rows, ({ organizationId }) => organizationId)
  return organizations.map((id) => byOrganization.get(id) ?? [])
}

/** Counts the parked deliveries of each webhook, with the index deliveries_parked. */
export async function countParked(sql: Sql, webhookIds: readonly string[]): Promise<number[]> {
  const { rows } = await sql.query<{ parked: number }>({
    name: 'count_parked',
    text: `
      select (
        select count(*)::int from (
          select from posthorn.deliveries as d
          where d.webhook_id = given.id and d.parked_at is not null limit ${MAX_COUNTED}
        ) as parked
      ) as parked
      from unnest($1::uuid[]) with ordinality as given (id, n) order by n`,
    values: [webhookIds],
  })
  return rows.map(({ parked }) => parked)
}
