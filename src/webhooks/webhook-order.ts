import type { Sql } from '../db/client.ts'
import { MAX_COUNTED_PARKED } from './count-parked.ts'
import { latencyPercentile } from './latency.ts'
import { type AttemptCounts, bucketRange, readAttemptTotals } from './statistics.ts'

export type WebhookOrder =
  | 'newest first'
  | 'attention first'
  | 'most waiting'
  | 'oldest waiting'
  | 'slowest'
  | 'least successful'
  | 'name'

export interface Sortable {
  readonly id: string
  readonly url: string
  readonly description: string | null
}

/** Sorts webhooks that are given newest first. Those without a value come last, and equal ones stay newest first. */
export async function sortWebhooks<Webhook extends Sortable>(
  sql: Sql,
  organizationId: string,
  order: WebhookOrder,
  webhooks: readonly Webhook[],
): Promise<Webhook[]> {
  if (order === 'name') return webhooks.toSorted((a, b) => NAMES.compare(nameOf(a), nameOf(b)))
  const values = await VALUES[order](sql, organizationId, webhooks)
  const valueFor = ({ id }: Webhook) => values.get(id) ?? Number.NEGATIVE_INFINITY
  return webhooks.toSorted((a, b) => (valueFor(a) === valueFor(b) ? 0 : valueFor(b) - valueFor(a)))
}

type Values = ReadonlyMap<string, number>
type ReadValues = (
  sql: Sql,
  organizationId: string,
  webhooks: readonly Sortable[],
) => Promise<Values>

/** What webhooks are sorted by, the largest first. */
const VALUES: Readonly<Record<Exclude<WebhookOrder, 'name'>, ReadValues>> = {
  'newest first': async () => new Map(),
  'attention first': readWaiting,
  'most waiting': readWaiting,
  'oldest waiting': readOldestWaiting,
  slowest: (sql, _organizationId, webhooks) =>
    readDay(sql, webhooks, ({ latency }) => latencyPercentile(latency, 0.95)),
  'least successful': (sql, _organizationId, webhooks) =>
    readDay(sql, webhooks, ({ attempts, succeeded }) =>
      attempts > 0 ? 1 - succeeded / attempts : null,
    ),
}

/** The waiting deliveries of each webhook with a backlog, with the index deliveries_parked. */
async function readWaiting(sql: Sql, organizationId: string): Promise<Values> {
  const { rows } = await sql.query<{ id: string; waiting: number }>({
    name: 'read_waiting_of_each',
    text: `
      select w.id, counted.waiting
      from posthorn.webhooks as w join posthorn.webhook_schedules as s on s.webhook_id = w.id
      cross join lateral (
        select count(*)::int as waiting from (
          select from posthorn.deliveries as d
          where d.webhook_id = w.id and d.parked_at is not null limit ${MAX_COUNTED_PARKED}
        ) as parked
      ) as counted
      where w.organization_id = $1 and counted.waiting > 0
        and (s.backlog_since is not null or s.backlog_drained_at is not null)`,
    values: [organizationId],
  })
  return new Map(rows.map(({ id, waiting }) => [id, waiting]))
}

/** The age of the oldest event of each backlog, in seconds, with the index deliveries_parked. */
async function readOldestWaiting(sql: Sql, organizationId: string): Promise<Values> {
  const { rows } = await sql.query<{ id: string; age: number | null }>({
    name: 'read_oldest_waiting',
    text: `
      select w.id, (
        select extract(epoch from now() - posthorn.uuid_v7_timestamp(first.event_id))::float8
        from unnest(array[false, true]) as priority (given), lateral (
          select d.event_id from posthorn.deliveries as d
          where d.webhook_id = w.id and d.has_priority = priority.given and d.parked_at is not null
          order by d.event_id limit 1
        ) as first
        order by first.event_id limit 1
      ) as age
      from posthorn.webhooks as w join posthorn.webhook_schedules as s on s.webhook_id = w.id
      where w.organization_id = $1 and (s.backlog_since is not null or s.backlog_drained_at is not null)`,
    values: [organizationId],
  })
  return new Map(rows.flatMap(({ id, age }) => (age === null ? [] : [[id, age] as const])))
}

const DAY_MS = 24 * 3_600_000

/** A value of the attempts of the last 24 hours. */
async function readDay(
  sql: Sql,
  webhooks: readonly Sortable[],
  valueFor: (counts: AttemptCounts) => number | null,
): Promise<Values> {
  const ids = webhooks.map(({ id }) => id)
  const range = bucketRange({ since: new Date(Date.now() - DAY_MS), unit: 'hour' })
  const totals = await readAttemptTotals(sql, ids, range)
  return new Map(
    totals.flatMap((counts, index) => {
      const value = valueFor(counts)
      return value === null ? [] : [[ids[index] as string, value] as const]
    }),
  )
}

const NAMES = new Intl.Collator('en', { numeric: true })

/** The description or, without one, the host and the path. */
const nameOf = ({ description, url }: Sortable) => description || url.replace(/^https:\/\//, '')
