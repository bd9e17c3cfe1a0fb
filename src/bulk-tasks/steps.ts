import type { Keyring } from '../auth/encryption/keyring.ts'
import type { Sql } from '../db/client.ts'
import { cancelDeliveries } from '../deliveries/cancel-deliveries.ts'
import type { DeliveryFilter } from '../deliveries/delivery-filter.ts'
import { MAX_ATTEMPTS, PARKED_REASON } from '../deliveries/new-delivery-sql.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import { deletionStep } from '../organizations/deletion/delete-rows.ts'
import {
  FIRST_ID,
  type PageResult,
  pauseBeforePass,
  type Steps,
  type Work,
} from '../queue/long-work.ts'
import { eraseStep } from './erase.ts'
import { recoverStep } from './recover.ts'
import { type SelectedDeliveries, selectPage } from './selected-deliveries.ts'

/** What one page of each kind of work does. */
export const createSteps = (keyring: Keyring): Steps => ({
  redeliver: redeliverStep,
  cancel: (sql, work) => cancelPage(sql, work, work.selection.filter, work.id),
  recover: recoverStep,
  erase: (sql, work) => eraseStep(keyring, sql, work),
  delete_webhook: deleteWebhookStep,
  delete_organization: deletionStep,
})

/**
 * Redelivers the next deliveries of a filter, each under its `wh-id`. A finished delivery restarts its retry schedule, or is
 * parked if its webhook has a backlog. The next attempt of a retrying delivery is made now, unless an attempt is running or its
 * webhook would park it. All others are skipped: an attempt of theirs follows anyway, their event is past its retention or
 * erased, or their webhook was deleted.
 */
async function redeliverStep(sql: Sql, work: Work<SelectedDeliveries>): Promise<PageResult> {
  const { filter } = work.selection
  const { deliveryIds, reachedId, isLast } = await selectPage(sql, work, filter, work.id)
  // A delivery stands on the page of each attempt that matches. The first of these pages changes it.
  const unchangedSince = filter.anyAttempt ? timestampOf(work.id) : null
  const { rows } = await sql.query<{ redelivered: number }>({
    name: 'redeliver_page',
    text: REDELIVER_PAGE,
    values: [deliveryIds, unchangedSince],
  })
  return { changed: rows[0]?.redelivered ?? 0, reachedId, isLast }
}

/**
 * Skips what changed after $2. Locks the deliveries in the order of their ids, and their webhooks against disabling and
 * deletion.
 */
const REDELIVER_PAGE = `
  with subject as materialized (
    select d.*, w.ordered, (${MAX_ATTEMPTS}) as schedule_attempts, (${PARKED_REASON}) as new_parked_reason
    from posthorn.deliveries as d
    join posthorn.webhooks as w on w.id = d.webhook_id and w.deleted_at is null
    left join posthorn.webhook_schedules as s on s.webhook_id = w.id
    where d.id = any ($1::uuid[]) and d.parked_at is null and (d.state <> 'pending' or d.attempt_count > 0)
      and not d.is_erased
      and exists (select from posthorn.events as e where e.id = d.event_id and e.erased_at is null)
      and ($2::timestamptz is null or d.job_written_at <= $2)
    order by d.id for update of d for share of w
  ),
  reopened as (
    update posthorn.deliveries as d set
      state = 'pending', finished_at = null, is_backfilled = true, schedule_position = 0, job_written_at = now(),
      max_attempts = d.attempt_count + subject.schedule_attempts, parked_reason = subject.new_parked_reason,
      parked_at = case when subject.new_parked_reason is not null then now() end,
      next_attempt_at = case when subject.new_parked_reason is null then now() end
    from subject where d.id = subject.id and subject.state <> 'pending'
    returning d.*, subject.ordered
  ),
  jobs as (
    -- The failed jobs of exhausted and canceled deliveries can still exist.
    select posthorn.complete_delivery_jobs(array(select posthorn.type_id('msg', id) from reopened)),
      posthorn.schedule_deliveries(array_agg(row(id, webhook_id, organization_id, event_type, now(),
        attempt_count, max_attempts, last_error)::posthorn.delivery_job order by id))
    from reopened where parked_at is null having count(*) > 0
  ),
  started as materialized (
    select id, posthorn.run_delivery_now(row(
      id, webhook_id, organization_id, event_type, now(), attempt_count, greatest(max_attempts, attempt_count + 1),
      last_error)::posthorn.delivery_job) as now
    from subject where state = 'pending' and new_parked_reason is null
  ),
  advanced as (
    update posthorn.deliveries as d set next_attempt_at = now(), job_written_at = now()
    from started where d.id = started.id and started.now
    returning d.id
  ),
  released as (
    -- An ordered webhook may have no open backlog yet.
    select count(posthorn.enqueue('release_backlog', json_build_object('webhookId', posthorn.type_id('wh', webhook_id))))
    from (select distinct webhook_id from reopened where ordered) as webhook
  )
  select ((select count(*) from reopened) + (select count(*) from advanced))::int as redelivered
  from released left join jobs on true`

/**
 * Cancels the next deliveries of a deleted webhook. Passes go on until one has begun after the transactions that were
 * publishing during the deletion: their deliveries can be behind the cursor.
 */
async function deleteWebhookStep(sql: Sql, work: Work<unknown>): Promise<PageResult> {
  const { id, webhookId, isSettled, progress } = work
  if (webhookId === null) throw new Error(`The task ${id} names no webhook.`)
  const filter: DeliveryFilter = {
    webhookUuids: [webhookId],
    states: ['queued', 'retrying', 'waiting'],
  }
  const page = await cancelPage(sql, work, filter, null)
  if (!page.isLast || (progress as { readonly wasSettled?: boolean }).wasSettled) return page
  const waitMs = isSettled ? 0 : pauseBeforePass(id)
  return {
    ...page,
    isLast: false,
    reachedId: FIRST_ID,
    progress: { wasSettled: isSettled },
    waitMs,
  }
}

/** Cancels the next deliveries of a filter. Those that are newer than the task `newest` are not selected. */
async function cancelPage(
  sql: Sql,
  work: Work<unknown>,
  filter: DeliveryFilter,
  newest: string | null,
): Promise<PageResult> {
  const { deliveryIds, reachedId, isLast } = await selectPage(sql, work, filter, newest)
  const canceled = (await cancelDeliveries(sql, deliveryIds, null)).length
  return { changed: canceled, canceled, reachedId, isLast }
}
