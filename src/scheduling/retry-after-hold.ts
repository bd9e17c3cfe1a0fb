import type { Sql } from '../db/client.ts'
import { batched } from '../lib/batch.ts'
import { endHoldsIf } from '../webhooks/end-hold.ts'

/** An endpoint answered 429 or 503 with `Retry-After`. */
export interface WaitRequest {
  readonly webhookId: string
  /** The revision of the webhook that the attempt was made with. */
  readonly revision: string
  readonly waitMs: number
}

/**
 * Puts an enabled webhook on hold until its endpoint may be asked again. Returns whether it was not on hold. A webhook that
 * was edited meanwhile is left alone: it may have another endpoint. Of several answers, the longest wait counts. An open
 * circuit breaker stays open, with its next probe no earlier than asked.
 */
export type HoldForRetryAfter = (request: WaitRequest) => Promise<boolean>

export function createHoldForRetryAfter(sql: Sql): HoldForRetryAfter {
  return batched((requests: WaitRequest[]) => hold(sql, requests), {
    maxSize: 500,
    parallel: 1,
  })
}

/**
 * Locks the webhook and then its schedule, as an edit does: a hold waits for an edit that is about to be committed, and then
 * compares the revision. In the order of the ids, so that processes cannot deadlock.
 */
const HOLD = `
  with asked as materialized (
    select webhook_id, revision, max(wait_ms) as wait_ms
    from unnest($1::uuid[], $2::bigint[], $3::float8[]) as asked (webhook_id, revision, wait_ms) group by 1, 2
  ),
  stored as (
    insert into posthorn.webhook_schedules as s (webhook_id, backlog_since, on_hold_since, on_hold_reason, next_probe_at)
    select w.id, now(), now(), 'retry_after', now() + asked.wait_ms * interval '1 millisecond'
    from asked join posthorn.webhooks as w on w.id = asked.webhook_id and w.revision = asked.revision
    where w.enabled
    order by w.id for share of w
    on conflict (webhook_id) do update set
      backlog_since = coalesce(s.backlog_since, now()), backlog_drained_at = null,
      on_hold_since = coalesce(s.on_hold_since, excluded.on_hold_since),
      on_hold_reason = case when s.on_hold_since is null then 'retry_after' else s.on_hold_reason end,
      next_probe_at = greatest(s.next_probe_at, excluded.next_probe_at)
    returning s.webhook_id, s.on_hold_since = now() as is_new
  )
  select webhook_id as id from stored where is_new`

async function hold(sql: Sql, requests: WaitRequest[]): Promise<boolean[]> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'hold_for_retry_after',
    text: HOLD,
    values: [
      requests.map(({ webhookId }) => webhookId),
      requests.map(({ revision }) => revision),
      requests.map(({ waitMs }) => waitMs),
    ],
  })
  const opened = new Set(rows.map(({ id }) => id))
  return requests.map(({ webhookId }) => opened.delete(webhookId))
}

/**
 * Ends the holds of those of the webhooks whose endpoints may be asked again. Their failures still count, so the circuit
 * breaker opens all the same. Returns their organizations.
 */
export async function endWaits(sql: Sql, webhookIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql.query<{ organizationId: string }>({
    name: 'end_waits',
    text: `
      with over as materialized (
        select s.webhook_id from posthorn.webhook_schedules as s join posthorn.webhooks as w on w.id = s.webhook_id
        where s.webhook_id = any ($1::uuid[]) and s.on_hold_reason = 'retry_after' and w.enabled and s.next_probe_at <= now()
        order by s.webhook_id for update of s skip locked
      ),
      ${endHoldsIf('s.webhook_id in (select webhook_id from over)')}
      select distinct w.organization_id as "organizationId"
      from ended join posthorn.webhooks as w on w.id = ended.webhook_id`,
    values: [webhookIds],
  })
  return rows.map(({ organizationId }) => organizationId)
}
