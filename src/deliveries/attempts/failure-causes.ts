import type { Sql } from '../../db/client.ts'
import { lowerBoundAt } from '../../lib/uuid-v7.ts'
import type { BucketRange } from '../../webhooks/statistics.ts'

/** The failed attempts with one cause in one bucket of time. */
export interface FailureCauseBucket {
  readonly start: Date
  readonly cause: string
  readonly count: number
}

export interface FailureCauses {
  /** Only buckets with failures. */
  readonly buckets: readonly FailureCauseBucket[]
  /** False if a cause had more failures than are counted. */
  readonly isExact: boolean
}

/** A search reads at most this many causes. */
export const MAX_CAUSES = 50

/** A search counts at most this many failures, the newest, shared equally by the causes. */
export const MAX_COUNTED = 50_000

const DAY_MS = 86_400_000
const dayOf = (date: Date) => Math.floor(date.getTime() / DAY_MS) * DAY_MS

/**
 * The causes of failures over time, of a webhook or of the organization. Reads only the indexes on (organization, cause, id)
 * and (organization, webhook, cause, id).
 */
export async function findFailureCauses(
  sql: Sql,
  organizationId: string,
  webhookUuid: string | null,
  { since, until, unit }: BucketRange,
): Promise<FailureCauses> {
  const { rows } = await sql.query<FailureCauseBucket & { isExact: boolean }>({
    name: `find_failure_causes_of_${webhookUuid ? 'webhook' : 'organization'}_${unit}`,
    text: findFailureCausesSql(unit, webhookUuid ? 'a.webhook_id = $6' : 'true'),
    values: [
      organizationId,
      lowerBoundAt(since),
      lowerBoundAt(until),
      lowerBoundAt(new Date(dayOf(since))),
      lowerBoundAt(new Date(dayOf(until) + DAY_MS)),
      ...(webhookUuid ? [webhookUuid] : []),
    ],
  })
  return {
    buckets: rows.map(({ start, cause, count }) => ({ start, cause, count })),
    isExact: rows.every(({ isExact }) => isExact),
  }
}

/** The causes are found one after the other, each by one look into the index of the days of the range. */
const findFailureCausesSql = (unit: BucketRange['unit'], ofWebhook: string) => `
  with recursive found as (
    select '' as cause, 0 as n
    union all
    select next.cause, found.n + 1 from found, lateral (
      select a.cause from posthorn.attempts as a
      where a.organization_id = $1 and ${ofWebhook} and a.cause is not null and a.cause > found.cause
        and a.id >= $4 and a.id < $5
      order by a.cause limit 1
    ) as next
    where found.n < ${MAX_CAUSES}
  ),
  cause as materialized (select cause from found where n > 0),
  budget as materialized (select ${MAX_COUNTED} / greatest(1, count(*)) as each from cause),
  failure as (
    select cause.cause, newest.id, newest.n from cause cross join budget cross join lateral (
      select a.id, row_number() over (order by a.id desc) as n from posthorn.attempts as a
      where a.organization_id = $1 and ${ofWebhook} and a.cause = cause.cause and a.id >= $2 and a.id < $3
      order by a.id desc limit budget.each + 1
    ) as newest
  )
  select date_trunc('${unit}', posthorn.uuid_v7_timestamp(failure.id), 'UTC') as start, failure.cause,
    count(*)::int as count, max(failure.n) <= min(budget.each) as "isExact"
  from failure cross join budget group by 1, 2 order by 1, 2`
