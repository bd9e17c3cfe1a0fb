import type { Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import { backgroundQueue } from '../queue/background.ts'
import { cancelationKey } from '../queue/jobs.ts'

interface DeletedWebhook {
  readonly id: string
  readonly organizationId: string
}

/**
 * Cancels again the deliveries of webhooks that were deleted in the last day. A transaction that was publishing during the
 * deletion adds deliveries that the first cancelation does not see, and an operator may have completed its job. Those of a
 * deleted organization are deleted instead.
 */
export async function repeatCancelations(sql: Sql, workerSchema: string): Promise<void> {
  const { rows } = await sql.query<DeletedWebhook>(
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
