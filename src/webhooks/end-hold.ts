import type { Db, Sql } from '../db/client.ts'

/** Why a webhook is on hold: its circuit breaker is open, or its endpoint asked to wait by `Retry-After`. */
export type HoldReason = 'failing' | 'retry_after'

/**
 * SQL: the parts of a `with` that end the holds of schedules `s` that `condition` selects, and start the slow release of
 * their backlogs. `ended` has the webhooks.
 */
export const endHoldsIf = (condition: string) => `
  ended as (
    update posthorn.webhook_schedules as s set on_hold_since = null, on_hold_reason = 'failing', next_probe_at = null,
      probe_delivery_id = null, probe_count = 0, slow_start_since = clock_timestamp(), slow_start_released = 0
    where s.on_hold_since is not null and ${condition}
    returning s.webhook_id
  ),
  hold as (
    update posthorn.webhook_holds as h set ended_at = clock_timestamp()
    from ended where h.webhook_id = ended.webhook_id and h.ended_at is null
  )`

const END_HOLD = `
  with ${endHoldsIf('s.webhook_id = $1::uuid')},
  condition as (
    update posthorn.webhook_conditions as c set consecutive_failures = 0 from ended where c.webhook_id = ended.webhook_id
  )
  select ended.webhook_id::text as id from ended`

const RECOVER = `${END_HOLD} join posthorn.webhooks as w on w.id = ended.webhook_id
  cross join lateral posthorn.alert(w.organization_id, w.id, 'posthorn.webhook.recovered', '{}')`

/** Ends the hold of a webhook that recovered, with an alert. Returns whether the webhook was on hold. */
export async function endHold(sql: Sql, webhookUuid: string): Promise<boolean> {
  const { rowCount } = await sql.query({ name: 'end_hold', text: RECOVER, values: [webhookUuid] })
  return rowCount === 1
}

/** Ends the hold of a webhook, as a person asks, within an open transaction. Returns whether it was on hold. */
export async function endHoldInTransaction(tx: Db, webhookUuid: string): Promise<boolean> {
  const rows = await tx.$queryRawUnsafe<object[]>(END_HOLD, webhookUuid)
  return rows.length === 1
}

/** Opens, changes or resolves the incident of a webhook whose state changed in this transaction. */
export async function followIncidents(tx: Db, webhookUuid: string): Promise<void> {
  await tx.$queryRaw`select posthorn.follow_incidents(array[${webhookUuid}::uuid])`
}
