import type { Sql } from '../db/client.ts'
import type { Attempt } from './live-event.ts'

/** More than a stream queues. */
const MAX_ATTEMPTS = 10_000

/** Reads the attempts of some organizations in a range of ids as live events, oldest first. */
export async function readAttempts(
  sql: Sql,
  organizationIds: readonly string[],
  firstId: string,
  lastId: string,
): Promise<Attempt[]> {
  const condition = 'a.id between $1 and $2 and a.organization_id = any ($3::uuid[])'
  return await selectAttempts(sql, condition, MAX_ATTEMPTS, [firstId, lastId, organizationIds])
}

/**
 * The first attempts `a`, up to `limit`, that match a condition, as live events. `offset 0` keeps the lookup of each
 * delivery apart: the planner could turn it into a join that reads the deliveries of all days.
 */
export async function selectAttempts(
  sql: Sql,
  condition: string,
  limit: number,
  values: readonly unknown[],
): Promise<Attempt[]> {
  const { rows } = await sql.query<Omit<Attempt, 'kind'>>(
    `select a.organization_id as "organizationId", a.webhook_id as "webhookId", a.delivery_id as "deliveryId",
       a.id as "attemptId", a.succeeded,
       coalesce(d.state in ('succeeded', 'exhausted') and d.attempt_count = a.number, false) as finished
     from (
       select a.id, a.organization_id, a.webhook_id, a.delivery_id, a.succeeded, a.number
       from posthorn.attempts as a where ${condition} order by a.id limit ${limit}
     ) as a left join lateral (
       select d.state, d.attempt_count from posthorn.deliveries as d where d.id = a.delivery_id offset 0
     ) as d on true
     order by a.id`,
    [...values],
  )
  return rows.map((row) => ({ kind: 'attempt', ...row }))
}
