import type { Actor } from '../auth/access/actor.ts'
import { actorJson } from '../auth/audit/audit-entry.ts'
import type { Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import { DomainError } from '../lib/errors.ts'
import { deliveryStateSql } from './delivery-state.ts'
import { MAX_ATTEMPTS } from './new-delivery-sql.ts'

/**
 * Attempts deliveries now, each under its `wh-id`. A finished delivery becomes pending again with a full retry
 * schedule; a pending delivery's next attempt is brought forward. If the webhook is at a limit, the delivery is parked
 * with priority. If an attempt is running, the delivery is attempted again after that attempt. Leaves out those whose
 * webhook was deleted, or whose event is past its retention, erased or not kept. Returns the uuids of the others, and
 * throws `conflict` if there are none.
 */
export async function redeliver(
  { sql, actor }: { readonly sql: Sql; readonly actor: Actor },
  uuids: readonly string[],
): Promise<string[]> {
  const refusals = new Map<string, string>()
  for (const uuid of uuids) {
    const { rows } = await sql.query<Redelivered>({
      name: 'redeliver',
      text: REDELIVER,
      values: [uuid, actorJson(actor)],
    })
    const refusal = rows[0]?.refusal
    if (refusal) refusals.set(uuid, REFUSALS[refusal](publicId('delivery', uuid)))
  }
  const [refusal] = refusals.values()
  if (refusal && refusals.size === uuids.length) throw new DomainError('conflict', refusal)
  return uuids.filter((uuid) => !refusals.has(uuid))
}

interface Redelivered {
  readonly refusal: keyof typeof REFUSALS | null
}

/** Says why a delivery was not redelivered, and what to do. */
const REFUSALS = {
  webhook_deleted: (id: string) =>
    `The webhook of the delivery ${id} was deleted, so the delivery cannot be redelivered.`,
  event_gone: (id: string) =>
    `The event of the delivery ${id} is past its retention, so the delivery cannot be redelivered.`,
  erased: (id: string) =>
    `The payload of the delivery ${id} was erased, so the delivery cannot be redelivered.`,
  not_kept: (id: string) =>
    `The payload of the delivery ${id} is not kept after the delivery, because keepPayloads of the organization or the webhook is false, so the delivery cannot be redelivered. Publish the event again.`,
}

const REDELIVER = `
  -- Locks the schedule before the delivery, in the same order as a worker that parks a delivery.
  with hold as materialized (
    select s.webhook_id from posthorn.webhook_schedules as s
    where s.webhook_id = (select d.webhook_id from posthorn.deliveries as d where d.id = $1)
      and s.on_hold_since is not null
    for update
  ),
  subject as materialized (
    select d.*, w.ordered,
      case
        when w.deleted_at is not null then 'webhook_deleted'
        when e.id is null then 'event_gone'
        when e.erased_at is not null and e.unkept_bytes is null then 'erased'
        when e.erased_at is not null or d.is_erased then 'not_kept'
      end as refusal,
      (${MAX_ATTEMPTS}) as schedule_attempts
    from posthorn.deliveries as d join posthorn.webhooks as w on w.id = d.webhook_id
    left join posthorn.events as e on e.id = d.event_id
    where d.id = $1 and (select count(*) from hold) >= 0
    for update of d
  ),
  job as (
    -- The failed job of an exhausted delivery still exists.
    select id, ordered, state in ('pending', 'exhausted') and parked_at is null as may_have_job, row(
      id, webhook_id, organization_id, event_type, now(), attempt_count,
      case when state = 'pending' then greatest(max_attempts, attempt_count + 1)
        else attempt_count + schedule_attempts end,
      last_error)::posthorn.delivery_job as job
    from subject where refusal is null
  ),
  -- False if an attempt is running. Recording that attempt then queues the next one.
  started as materialized (
    select case
      when may_have_job then posthorn.run_delivery_now(job.job)
      -- An ordered webhook sends only from its backlog, so the job is removed below, in this transaction.
      when ordered then true
      -- The delivery can have a failed job: operators cancel deliveries by failing their jobs.
      else exists (
        select from posthorn.complete_delivery_jobs(array[posthorn.type_id('msg', id)]) as removed,
          lateral posthorn.schedule_deliveries(case when removed >= 0 then array[job.job] end))
    end as now
    from job
  ),
  reopened as (
    update posthorn.deliveries as d set
      state = 'pending', finished_at = null, is_backfilled = true, has_priority = true, job_written_at = now(),
      schedule_position = case when subject.state = 'pending' then d.schedule_position else 0 end,
      max_attempts = case when subject.state = 'pending' then d.max_attempts
        else d.attempt_count + subject.schedule_attempts end,
      redelivery_requested = not started.now,
      parked_at = case when not started.now then d.parked_at when subject.ordered then now() end,
      parked_reason = case when not started.now then d.parked_reason when subject.ordered then 'ordered' end,
      next_attempt_at = case when not started.now then d.next_attempt_at when not subject.ordered then now() end
    from subject, started where d.id = subject.id
    returning d.id, d.organization_id, d.webhook_id, subject.ordered, started.now,
      ${deliveryStateSql('subject')} as state_before, ${deliveryStateSql('d')} as state_after
  ),
  -- A webhook on hold still receives the delivery that a person redelivers.
  probe as (
    update posthorn.webhook_schedules as s set probe_delivery_id = reopened.id
    from hold, reopened where s.webhook_id = hold.webhook_id
  ),
  released as (
    select posthorn.complete_delivery_jobs(array[posthorn.type_id('msg', id)]),
      posthorn.enqueue('release_backlog', json_build_object('webhookId', posthorn.type_id('wh', webhook_id)))
    from reopened where ordered and now
  ),
  audited as (
    select posthorn.write_audit_entry($2, organization_id, 'delivery.redelivered', posthorn.type_id('msg', id),
      jsonb_build_object('state', state_before), jsonb_build_object('state', state_after))
    from reopened
  )
  select refusal from subject left join released on true left join audited on true`
