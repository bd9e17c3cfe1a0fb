import type { Actor } from '../access/actor.ts'
import { actorJson } from '../audit/audit-entry.ts'
import type { Sql } from '../db/client.ts'
import { notify } from '../live/notify.ts'

/**
 * The state first, then the job: a worker that runs the job meanwhile finds a canceled delivery. Where a reason is given,
 * an operator failed the job, which stays visible as failed.
 */
const cancel = (reason: string) => `
  canceled as (
    update posthorn.deliveries as d set state = 'canceled', finished_at = now(), next_attempt_at = null,
      parked_at = null, parked_reason = null, job_written_at = now(),
      last_error = coalesce(${reason}, d.last_error)
    from wanted where d.id = wanted.id and d.state = 'pending'
    returning d.id, d.organization_id, d.webhook_id
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

/** A delivery is canceled, even if nobody can be notified. */
async function notifyCanceled(sql: Sql, rows: readonly CanceledRow[]): Promise<void> {
  const liveEvents = rows.map((row) => ({ kind: 'canceled' as const, ...row }))
  await notify(sql, liveEvents).catch(() => {})
}

/**
 * Cancels deliveries that are pending, with their jobs. The others stay as they are. Answers which it canceled. Written
 * into the audit log when somebody asked for it; what follows from a deletion is not. The reason is kept as the error.
 */
export async function cancelDeliveries(
  sql: Sql,
  uuids: readonly string[],
  actor?: Actor,
  reason?: string,
): Promise<string[]> {
  const { rows } = await sql.query<CanceledRow>(
    `with wanted as (select unnest($1::uuid[]) as id), ${cancel('$3::text')},
     audited as (
       select count(posthorn.write_audit_entry($2, canceled.organization_id, 'delivery.canceled',
         posthorn.type_id('msg', canceled.id), '{"state": "pending"}', '{"state": "canceled"}'))
       from canceled where $2::jsonb is not null
     )
     select ${CANCELED_ROW} from canceled left join jobs on true left join audited on true`,
    [uuids, actor ? actorJson(actor) : null, reason ?? null],
  )
  await notifyCanceled(sql, rows)
  return rows.map((row) => row.deliveryId)
}

/** How many deliveries of a webhook are looked at by one statement. */
const CANCEL_BATCH = 5_000

/** Cancels the pending deliveries of a deleted webhook. Safe to repeat, and to break off anywhere. */
export async function cancelDeliveriesOfWebhook(sql: Sql, webhookUuid: string): Promise<number> {
  let canceled = 0
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await sql.query<{ last: string | null; canceled: CanceledRow[] | null }>(
      `with page as (
         select id, state from posthorn.deliveries where webhook_id = $1 and id > $2 order by id limit $3
       ),
       wanted as (select id from page where state = 'pending'), ${cancel('null')}
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
