import type { Sql } from '../../db/client.ts'
import { lowerBoundAt, upperBoundAt } from '../../lib/uuid-v7.ts'

export interface FailureGroupFilter {
  /** Failures recorded at or after this time. */
  readonly since: Date
  /** Failures recorded before this time. Default: no end. */
  readonly until?: Date | null | undefined
  readonly webhookUuid?: string | null | undefined
}

/** The failed attempts of one webhook with one cause. */
export interface FailureGroup {
  readonly webhookId: string
  readonly cause: string
  readonly count: number
  /** False if counting stopped early. */
  readonly countIsExact: boolean
  readonly firstAttemptId: string
  readonly lastAttemptId: string
}

/** A search reads at most this many pairs of a webhook and a cause. */
export const MAX_PAIRS = 500

/** A search counts at most this many failures, shared equally by the pairs. */
export const MAX_COUNTED_FAILURES = 50_000

const DAY_MS = 86_400_000

/** The groups with the most failures, those first. Reads only the index on (organization, webhook, cause, id). */
export async function findFailureGroups(
  sql: Sql,
  organizationId: string,
  { since, until, webhookUuid }: FailureGroupFilter,
  size: number,
): Promise<FailureGroup[]> {
  const { rows } = await sql.query<FailureGroup>({
    name: webhookUuid ? 'find_failure_groups_of_webhook' : 'find_failure_groups',
    text: webhookUuid
      ? findFailureGroupsSql('$7::uuid', 'a.webhook_id = $7')
      : findFailureGroupsSql(`'${FIRST_ID}'::uuid`, 'true'),
    values: [
      organizationId,
      lowerBoundAt(since),
      upperBoundAt(until),
      lowerBoundAt(new Date(Math.floor(since.getTime() / DAY_MS) * DAY_MS)),
      upperBoundAt(until && new Date(Math.ceil(until.getTime() / DAY_MS) * DAY_MS)),
      size,
      ...(webhookUuid ? [webhookUuid] : []),
    ],
  })
  return rows
}

/** SQL: failures of the days of the range. The bounds of the days prune the partitions, and no row fails them. */
const OF_DAYS = 'a.organization_id = $1 and a.cause is not null and a.id >= $4 and a.id < $5'

/** SQL: the failures of a pair in the range. The row comparisons match the index. */
const OF_PAIR = `a.organization_id = $1 and a.cause is not null and a.id >= $2 and a.id < $3
  and (a.webhook_id, a.cause, a.id) >= (pair.webhook_id, pair.cause, $2::uuid)
  and (a.webhook_id, a.cause, a.id) < (pair.webhook_id, pair.cause, $3::uuid)`

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** The pairs are found one after the other, each by one look into the index, from a pair before the first one. */
const findFailureGroupsSql = (firstWebhook: string, ofWebhook: string) => `
  with recursive found as (
    select ${firstWebhook} as webhook_id, '' as cause, 0 as n
    union all
    select next.webhook_id, next.cause, found.n + 1 from found, lateral (
      select a.webhook_id, a.cause from posthorn.attempts as a
      where ${OF_DAYS} and ${ofWebhook} and (a.webhook_id, a.cause) > (found.webhook_id, found.cause)
      order by a.webhook_id, a.cause limit 1
    ) as next
    where found.n < ${MAX_PAIRS}
  ),
  pair as materialized (select webhook_id, cause from found where n > 0),
  budget as materialized (select ${MAX_COUNTED_FAILURES} / greatest(1, count(*)) as each from pair),
  counted as materialized (
    select pair.webhook_id, pair.cause, (
      select count(*)::int from (
        select from posthorn.attempts as a where ${OF_PAIR}
        order by a.webhook_id, a.cause, a.id limit (select each + 1 from budget)
      ) as failure
    ) as count
    from pair
  ),
  top as materialized (
    select webhook_id, cause, count from counted where count > 0
    order by count desc, webhook_id, cause limit $6
  )
  select pair.webhook_id as "webhookId", pair.cause, least(pair.count, budget.each)::int as count,
    pair.count <= budget.each as "countIsExact", first.id as "firstAttemptId", last.id as "lastAttemptId"
  from top as pair cross join budget cross join lateral (
    select a.id from posthorn.attempts as a where ${OF_PAIR} order by a.webhook_id, a.cause, a.id limit 1
  ) as first cross join lateral (
    select a.id from posthorn.attempts as a where ${OF_PAIR}
    order by a.webhook_id desc, a.cause desc, a.id desc limit 1
  ) as last
  order by pair.count desc, pair.webhook_id, pair.cause`
