import type { Actor } from '../audit/actor.ts'
import { actorJson } from '../audit/audit-entry.ts'
import type { Sql } from '../db/client.ts'
import { announce } from '../live/announce.ts'

/** Takes the state, then the job: a worker that runs the job meanwhile finds a canceled delivery. */
const CANCEL = `
  canceled as (
    update posthorn.deliveries as d set
      state = 'canceled', finished_at = now(), next_attempt_at = null, parked_at = null
    from owed where d.id = owed.id and d.state = 'pending'
    returning d.id, d.organization_id, d.webhook_id
  ),
  jobs as (
    select count(*) as removed from (
      select graphile_worker.complete_jobs(array(
        select job.id from graphile_worker.jobs as job
        where job.key in (select posthorn.type_id('msg', canceled.id) from canceled) and job.locked_at is null
      ))
    ) as done
  )`

interface CanceledRow {
  readonly deliveryId: string
  readonly organizationId: string
  readonly webhookId: string
}

const CANCELED_ROW =
  'id as "deliveryId", organization_id as "organizationId", webhook_id as "webhookId"'

/** What is canceled is canceled, even if nobody can be told of it. */
async function announceCanceled(sql: Sql, rows: readonly CanceledRow[]): Promise<void> {
  const happenings = rows.map((row) => ({ kind: 'canceled' as const, ...row }))
  await announce(sql, happenings).catch(() => {})
}

/**
 * Cancels deliveries that are pending, with their jobs. The others stay as they are. Answers which it canceled. Written
 * into the audit log when somebody asked for it; what follows from a deletion is not.
 */
export async function cancelDeliveries(
  sql: Sql,
  uuids: readonly string[],
  actor?: Actor,
): Promise<string[]> {
  const { rows } = await sql.query<CanceledRow>(
    `with owed as (select unnest($1::uuid[]) as id), ${CANCEL},
     audited as (
       select count(posthorn.write_audit_entry($2, canceled.organization_id, 'delivery.canceled',
         posthorn.type_id('msg', canceled.id), '{"state": "pending"}', '{"state": "canceled"}'))
       from canceled where $2::jsonb is not null
     )
     select ${CANCELED_ROW} from canceled left join jobs on true left join audited on true`,
    [uuids, actor ? actorJson(actor) : null],
  )
  await announceCanceled(sql, rows)
  return rows.map((row) => row.deliveryId)
}

/** How many deliveries of a webhook are looked at by one statement. */
const CANCEL_BATCH = 5_000

/** Cancels all that is still owed to a deleted webhook. Safe to repeat, and to break off anywhere. */
export async function cancelDeliveriesOfWebhook(sql: Sql, webhookUuid: string): Promise<number> {
  let canceled = 0
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await sql.query<{ last: string | null; canceled: CanceledRow[] | null }>(
      `with page as (
         select id, state from posthorn.deliveries where webhook_id = $1 and id > $2 order by id limit $3
       ),
       owed as (select id from page where state = 'pending'), ${CANCEL}
       select (select id from page order by id desc limit 1) as last, (
         select json_agg(row) from (select ${CANCELED_ROW} from canceled) as row
       ) as canceled
       from jobs`,
      [webhookUuid, after, CANCEL_BATCH],
    )
    const [page] = rows
    canceled += page?.canceled?.length ?? 0
    await announceCanceled(sql, page?.canceled ?? [])
    if (!page?.last) return canceled
    after = page.last
  }
}
