import type { Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import { type Page, runPages } from '../queue/background.ts'
import { cancelationKey } from '../queue/jobs.ts'
import type { ReportCanceled } from '../telemetry/events.ts'
import {
  CANCELED_ROW,
  type CanceledRow,
  cancel,
  LOCK_ORDER,
  notifyCanceled,
} from './cancel-deliveries.ts'

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
  async function runPage(previous: CanceledPage | null): Promise<CanceledPage | null> {
    const { rows } = await sql.query<CanceledPage>({
      name: 'cancel_deliveries_of_webhook',
      text: CANCEL_PAGE,
      values: [webhookUuid, previous?.after ?? after ?? FIRST_ID],
    })
    const [page = null] = rows
    count += page?.canceled?.length ?? 0
    await notifyCanceled(sql, page?.canceled ?? [])
    return page
  }
  const job = {
    task: 'cancel_deliveries',
    key: cancelationKey(webhookId),
    payload: (last: CanceledPage) => ({ webhookId, after: publicId('delivery', last.after) }),
  } as const
  try {
    await runPages(sql, job, runPage, signal)
  } finally {
    reportCanceled({ count, reason: 'webhook_deleted', ids: { webhookId } })
  }
}

interface CanceledPage extends Page {
  /** The last delivery that the page read. */
  readonly after: string
  readonly canceled: readonly CanceledRow[] | null
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** A page reads at most `MAX_READ` deliveries by the index on (webhook_id, id), and cancels at most `MAX_CANCELED`. */
const MAX_READ = 5_000
const MAX_CANCELED = 500

const CANCEL_PAGE = `
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
  requested as materialized (
    select d.id, null as state_before from pending join posthorn.deliveries as d on d.id = pending.id
    order by ${LOCK_ORDER} for update of d
  ),
  ${cancel('null', 'false')},
  counted as (
    select (select count(*) from pending) = ${MAX_CANCELED} as is_full, (select count(*) from page) = ${MAX_READ} as has_more
  )
  select webhook.organization_id as "organizationUuid",
    case when is_full or has_more then 0 end as "waitMs",
    coalesce(
      case when is_full then (select id from pending order by id desc limit 1) end,
      (select id from page order by id desc limit 1), $2) as after,
    (select json_agg(row) from (select ${CANCELED_ROW} from canceled) as row) as canceled
  from webhook, counted left join jobs on true`
