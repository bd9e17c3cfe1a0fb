import type { Actor } from '../auth/access/actor.ts'
import { actorJson } from '../auth/audit/audit-entry.ts'
import type { Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import { DomainError } from '../lib/errors.ts'
import { notify } from '../streams/live/notify.ts'
import { deliveryStateSql } from './delivery-state.ts'

/** Deliveries in the order in which attempts are recorded, then parked ones in the order of their release. */
export const LOCK_ORDER = `
  d.parked_at is not null, d.parked_at is not null and not d.has_priority,
  case when d.parked_at is null then d.id else d.event_id end`

/**
 * Cancels those of the deliveries that are pending, with their jobs, and returns their uuids. `reason` becomes their
 * last error. Each cancellation is audited, unless `actor` is null: those that a deletion, a task or a lost event causes
 * are not.
 */
export async function cancelDeliveries(
  sql: Sql,
  uuids: readonly string[],
  actor: Actor | null,
  reason?: string,
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string; organizationId: string }>(CANCEL, [
    ...[uuids, actor ? actorJson(actor) : null, reason ?? null],
  ])
  const news = new Set(rows.map(({ organizationId }) => organizationId))
  // A failed notification does not undo the cancellation.
  await notify(sql, news).catch(() => {})
  return rows.map(({ id }) => id)
}

/**
 * Cancels a delivery before its job is removed, so that a worker that runs the job finds a canceled delivery. A job that an
 * operator failed, which gives a reason, stays visible as failed.
 */
const CANCEL = `
  with requested as (
    select d.id, ${deliveryStateSql('d')} as state_before from posthorn.deliveries as d
    where d.id = any ($1::uuid[]) order by ${LOCK_ORDER} for update
  ),
  canceled as (
    update posthorn.deliveries as d set state = 'canceled', finished_at = now(), next_attempt_at = null,
      parked_at = null, parked_reason = null, job_written_at = now(),
      last_error = coalesce($3::text, d.last_error)
    from requested where d.id = requested.id and d.state = 'pending'
    returning d.id, d.organization_id, d.webhook_id, d.event_id, requested.state_before
  ),
  unkept as (
    insert into posthorn.unkept_payloads (organization_id, event_id, due_at)
    select canceled.organization_id, canceled.event_id, now() from canceled
    join lateral (select * from posthorn.webhooks as w where w.id = canceled.webhook_id offset 0) as w on true
    join lateral (select * from posthorn.organizations as o where o.id = w.organization_id offset 0) as o on true
    where not (w.keep_payloads and o.keep_payloads)
  ),
  jobs as (
    select posthorn.complete_delivery_jobs(array_agg(posthorn.type_id('msg', canceled.id))) as removed
    from canceled where $3::text is null
  ),
  audited as (
    select count(posthorn.write_audit_entry($2, canceled.organization_id, 'delivery.canceled',
      posthorn.type_id('msg', canceled.id), jsonb_build_object('state', canceled.state_before), '{"state": "canceled"}'))
    from canceled where $2::jsonb is not null
  )
  select id, organization_id as "organizationId"
  from canceled left join jobs on true left join audited on true`

/**
 * Cancels those of the deliveries that are pending. A running attempt ends and is recorded. Returns the uuids of those that
 * are canceled now, and throws `conflict` if there are none.
 */
export async function cancelNow(
  { sql, actor }: { readonly sql: Sql; readonly actor: Actor },
  uuids: readonly string[],
): Promise<string[]> {
  await cancelDeliveries(sql, uuids, actor)
  const { rows } = await sql.query<{ id: string; state: string }>(
    'select id, state from posthorn.deliveries where id = any ($1::uuid[])',
    [uuids],
  )
  const canceled = rows.filter(({ state }) => state === 'canceled').map(({ id }) => id)
  const [first] = rows
  if (canceled.length > 0 || !first) return canceled
  throw new DomainError(
    'conflict',
    `The delivery ${publicId('delivery', first.id)} is ${first.state}. Only a delivery that has not finished can be canceled.`,
  )
}
