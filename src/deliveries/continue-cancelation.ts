import type { Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import { backgroundQueue, type Page, runPages } from '../queue/background.ts'
import { cancelationKey } from '../queue/jobs.ts'
import type { ReportCanceled } from '../telemetry/events.ts'
import { cancelDeliveries } from './cancel-deliveries.ts'

/**
 * Cancels the next pending deliveries of a deleted webhook, after the delivery `after`, and adds the job for the rest. A
 * webhook that is not deleted keeps its deliveries. Safe to interrupt and to repeat.
 */
export async function continueCancelation(
  sql: Sql,
  webhookUuid: string,
  after: string | null,
  signal: AbortSignal | undefined,
  reportCanceled: ReportCanceled,
): Promise<void> {
  const webhookId = publicId('webhook', webhookUuid)
  let count = 0
  async function runPage(previous: PendingPage | null): Promise<PendingPage | null> {
    const { rows } = await sql.query<PendingPage>({
      name: 'find_pending_of_deleted_webhook',
      text: FIND_PENDING,
      values: [webhookUuid, previous?.after ?? after ?? FIRST_ID],
    })
    const [page = null] = rows
    if (page && page.pending.length > 0) {
      count += (await cancelDeliveries(sql, page.pending, null)).length
    }
    return page
  }
  const job = {
    task: 'cancel_deliveries',
    key: cancelationKey(webhookId),
    payload: (last: PendingPage) => ({ webhookId, after: publicId('delivery', last.after) }),
  } as const
  try {
    await runPages(sql, job, runPage, signal)
  } finally {
    reportCanceled({ count, reason: 'webhook_deleted', ids: { webhookId } })
  }
}

interface PendingPage extends Page {
  /** The last delivery that the page read. */
  readonly after: string
  readonly pending: readonly string[]
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** A page reads at most `MAX_READ` deliveries by the index on (webhook_id, id), and cancels at most `MAX_CANCELED`. */
const MAX_READ = 5_000
const MAX_CANCELED = 500

const FIND_PENDING = `
  with webhook as (
    select id, organization_id from posthorn.webhooks where id = $1 and deleted_at is not null
  ),
  page as materialized (
    select d.id, d.state from posthorn.deliveries as d
    where d.webhook_id = $1 and d.id > $2 and exists (select from webhook) order by d.id limit ${MAX_READ}
  ),
  pending as materialized (
    select id from page where state = 'pending' order by id limit ${MAX_CANCELED}
  ),
  counted as (
    select (select count(*) from pending) = ${MAX_CANCELED} as is_full, (select count(*) from page) = ${MAX_READ} as has_more
  )
  select webhook.organization_id as "organizationUuid",
    case when is_full or has_more then 0 end as "waitMs",
    coalesce(
      case when is_full then (select id from pending order by id desc limit 1) end,
      (select id from page order by id desc limit 1), $2) as after,
    array(select id from pending) as pending
  from webhook, counted`

/**
 * Cancels again the deliveries of webhooks that were deleted in the last day. A transaction that was publishing during the
 * deletion adds deliveries that the first cancelation does not see, and an operator may have completed its job. Those of a
 * deleted organization are deleted instead.
 */
export async function repeatCancelations(sql: Sql, workerSchema: string): Promise<void> {
  const { rows } = await sql.query<{ id: string; organizationId: string }>(
    `select w.id, w.organization_id as "organizationId" from posthorn.webhooks as w
     where w.deleted_at > now() - interval '1 day' and not exists (
       select from posthorn.organization_deletions as d where d.organization_id = w.organization_id
     ) and exists (
       select from unnest('{queued, retrying, waiting}'::posthorn.indexed_delivery_state[]) as pending (state), lateral (
         select from posthorn.deliveries as d
         where d.webhook_id = w.id and d.indexed_state = pending.state limit 1
       ) as delivery)`,
  )
  for (const { id, organizationId } of rows) {
    const webhookId = publicId('webhook', id)
    await sql.query(
      `select posthorn.enqueue('cancel_deliveries', $1, $2, queue := $3)
       where not exists (select from ${workerSchema}.jobs where key = $2)`,
      [{ webhookId }, cancelationKey(webhookId), backgroundQueue(organizationId)],
    )
  }
}
