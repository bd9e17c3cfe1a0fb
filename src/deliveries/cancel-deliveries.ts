import type { Actor } from '../access/actor.ts'
import { actorJson } from '../audit/audit-entry.ts'
import type { Sql } from '../db/client.ts'
import { notify } from '../live/notify.ts'
import { deliveryStateSql } from './delivery-state.ts'

/**
 * Cancels a delivery before its job is removed, so that a worker that runs the job finds a canceled delivery. With a
 * reason, an operator failed the job, and the job stays visible as failed.
 */
const cancel = (reason: string) => `
  canceled as (
    update posthorn.deliveries as d set state = 'canceled', finished_at = now(), next_attempt_at = null,
      parked_at = null, parked_reason = null, job_written_at = now(),
      last_error = coalesce(${reason}, d.last_error)
    from requested where d.id = requested.id and d.state = 'pending'
    returning d.id, d.organization_id, d.webhook_id, requested.state_before
  ),
  jobs as (
    select posthorn.complete_delivery_jobs(array_agg(posthorn.type_id('msg', canceled.id))) as removed
    from canceled where ${reason} is null
  )`

interface CanceledRow {
  readonly deliveryId: string
  readonly organizationId: string
  readonly webhookId: string
}

const CANCELED_ROW =
  'id as "deliveryId", organization_id as "organizationId", webhook_id as "webhookId"'

/** A failed notification does not undo the cancellation. */
async function notifyCanceled(sql: Sql, rows: readonly CanceledRow[]): Promise<void> {
  const liveEvents = rows.map((row) => ({ kind: 'canceled' as const, ...row }))
  await notify(sql, liveEvents).catch(() => {})
}

/** Deliveries in the order in which attempts are recorded, then parked ones in the order of their release. */
const LOCK_ORDER = `
  d.parked_at is not null, d.parked_at is not null and not d.has_priority,
  case when d.parked_at is null then d.id else d.event_id end`

/**
 * Cancels those of the deliveries that are pending, with their jobs, and returns their uuids. `reason` becomes their
 * last error. With an `actor`, each cancellation is audited; the cancellations that a deletion causes are not.
 */
export async function cancelDeliveries(
  sql: Sql,
  uuids: readonly string[],
  actor?: Actor,
  reason?: string,
): Promise<string[]> {
  const { rows } = await sql.query<CanceledRow>(
    `with requested as (
       select d.id, ${deliveryStateSql('d')} as state_before from posthorn.deliveries as d
       where d.id = any ($1::uuid[]) order by ${LOCK_ORDER} for update
     ), ${cancel('$3::text')},
     audited as (
       select count(posthorn.write_audit_entry($2, canceled.organization_id, 'delivery.canceled',
         posthorn.type_id('msg', canceled.id), jsonb_build_object('state', canceled.state_before), '{"state": "canceled"}'))
       from canceled where $2::jsonb is not null
     )
     select ${CANCELED_ROW} from canceled left join jobs on true left join audited on true`,
    [uuids, actor ? actorJson(actor) : null, reason ?? null],
  )
  await notifyCanceled(sql, rows)
  return rows.map((row) => row.deliveryId)
}

/** Deliveries that one statement reads by the index on (webhook_id, id). */
const CANCEL_BATCH = 5_000

/** Cancels the pending deliveries of a deleted webhook, and returns their number. Safe to interrupt and to repeat. */
export async function cancelDeliveriesOfWebhook(sql: Sql, webhookUuid: string): Promise<number> {
  let canceled = 0
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await sql.query<{ last: string | null; canceled: CanceledRow[] | null }>(
      `with page as (
         select id, state from posthorn.deliveries where webhook_id = $1 and id > $2 order by id limit $3
       ),
       requested as (select id, null as state_before from page where state = 'pending'), ${cancel('null')}
       select (select id from page order by id desc limit 1) as last, (
         select json_agg(row) from (select ${CANCELED_ROW} from canceled) as row
       ) as canceled
       from jobs`,
      [webhookUuid, after, CANCEL_BATCH],
    )
    const [page] = rows
    canceled += page?.canceled?.length ?? 0
    await notifyCanceled(sql, page?.canceled ?? [])
    if (!page?.last) return canceled
    after = page.last
  }
}
