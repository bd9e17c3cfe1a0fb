import type { Actor } from '../auth/access/actor.ts'
import { actorJson } from '../auth/audit/audit-entry.ts'
import type { Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import { DomainError } from '../lib/errors.ts'
import { deliveryStateSql } from './delivery-state.ts'
import { MAX_ATTEMPTS, PARKED_REASON } from './new-delivery-sql.ts'

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
  const rows = await runRedeliver(sql, uuids, actorJson(actor), null)
  const [first] = rows
  if (first?.refusal && rows.every(({ refusal }) => refusal !== null)) {
    throw new DomainError('conflict', REFUSALS[first.refusal](publicId('delivery', first.id)))
  }
  return rows.flatMap(({ id, refusal }) => (refusal === null ? id : []))
}

/**
 * Redelivers in the background, and returns how many. With `unchangedSince`, those that changed after this time are skipped.
 * A finished delivery restarts its retry schedule, or is parked if its webhook has a backlog. The next attempt of a retrying
 * delivery is made now, unless an attempt is running or its webhook would park it. All others are skipped: an attempt of
 * theirs follows anyway, their event is past its retention or erased, or their webhook was deleted.
 */
export async function redeliverPage(
  sql: Sql,
  uuids: readonly string[],
  unchangedSince: Date | null,
): Promise<number> {
  const rows = await runRedeliver(sql, uuids, null, unchangedSince)
  return rows.filter(({ isChanged }) => isChanged).length
}

interface Redelivered {
  readonly id: string
  readonly refusal: keyof typeof REFUSALS | null
  readonly isChanged: boolean
}

async function runRedeliver(
  sql: Sql,
  uuids: readonly string[],
  actor: string | null,
  unchangedSince: Date | null,
): Promise<Redelivered[]> {
  const { rows } = await sql.query<Redelivered>({
    name: 'redeliver',
    text: REDELIVER,
    values: [uuids, actor, unchangedSince],
  })
  return rows
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

/**
 * $2 is who asks for it; null in the background. Locks webhooks against disabling and deletion, then schedules, as an edit
 * does and in the same order as a worker that parks a delivery, and then the deliveries in the order of their ids.
 */
const REDELIVER = `
  with webhook as materialized (
    select w.* from posthorn.webhooks as w
    where w.id in (select d.webhook_id from posthorn.deliveries as d where d.id = any ($1::uuid[])) order by w.id for share
  ),
  hold as materialized (
    select s.webhook_id from posthorn.webhook_schedules as s
    where s.webhook_id in (select id from webhook) and s.on_hold_since is not null and $2::jsonb is not null
    order by s.webhook_id for update
  ),
  subject as materialized (
    select d.*, w.ordered, (${MAX_ATTEMPTS}) as schedule_attempts, ${deliveryStateSql('d')} as state_before,
      d.state = 'pending' and d.parked_at is null as has_job,
      case when $2::jsonb is null then (${PARKED_REASON}) when w.ordered then 'ordered' end as new_parked_reason,
      case
        when w.deleted_at is not null then 'webhook_deleted'
        when e.id is null then 'event_gone'
        when e.erased_at is not null and e.unkept_bytes is null then 'erased'
        when e.erased_at is not null or d.is_erased then 'not_kept'
      end as refusal
    from posthorn.deliveries as d join webhook as w on w.id = d.webhook_id
    left join posthorn.webhook_schedules as s on s.webhook_id = w.id
    left join lateral (select * from posthorn.events as e where e.id = d.event_id offset 0) as e on true
    where d.id = any ($1::uuid[]) and (select count(*) from hold) >= 0
    order by d.id for update of d
  ),
  -- False if an attempt is running. For a person, recording that attempt then queues the next one.
  started as materialized (
    select *, case when not has_job then true else posthorn.run_delivery_now(row(
      id, webhook_id, organization_id, event_type, now(), attempt_count, greatest(max_attempts, attempt_count + 1),
      last_error)::posthorn.delivery_job) end as now
    from subject
    where refusal is null and ($2::jsonb is not null
      or parked_at is null and (state <> 'pending' or attempt_count > 0 and new_parked_reason is null)
        and ($3::timestamptz is null or job_written_at <= $3))
  ),
  changed as (
    update posthorn.deliveries as d set
      state = 'pending', finished_at = null, is_backfilled = true, job_written_at = now(),
      has_priority = d.has_priority or $2::jsonb is not null,
      schedule_position = case when started.state = 'pending' then d.schedule_position else 0 end,
      max_attempts = case when started.state = 'pending' then d.max_attempts
        else d.attempt_count + started.schedule_attempts end,
      redelivery_requested = not started.now,
      parked_at = case when not started.now then d.parked_at when started.new_parked_reason is not null then now() end,
      parked_reason = case when started.now then started.new_parked_reason else d.parked_reason end,
      next_attempt_at = case when not started.now then d.next_attempt_at when started.new_parked_reason is null then now() end
    from started where d.id = started.id and (started.now or $2::jsonb is not null)
    returning d.*, started.state_before, started.has_job
  ),
  jobs as (
    -- Failed jobs of exhausted and canceled deliveries can still exist. An ordered webhook sends only from its backlog.
    select posthorn.complete_delivery_jobs(array(
        select posthorn.type_id('msg', id) from changed where not has_job or parked_at is not null)),
      posthorn.schedule_deliveries(array_agg(row(id, webhook_id, organization_id, event_type, now(), attempt_count,
        greatest(max_attempts, attempt_count + 1), last_error)::posthorn.delivery_job order by id)
        filter (where parked_at is null and not has_job))
    from changed having count(*) > 0
  ),
  -- A webhook on hold still receives the delivery that a person redelivers.
  probe as (
    update posthorn.webhook_schedules as s set probe_delivery_id = changed.id
    from hold, changed where s.webhook_id = hold.webhook_id and changed.webhook_id = hold.webhook_id
  ),
  released as (
    -- An ordered webhook may have no open backlog yet.
    select count(posthorn.enqueue('release_backlog', json_build_object('webhookId', posthorn.type_id('wh', webhook_id))))
    from (select distinct webhook_id from changed where parked_reason = 'ordered') as webhook
  ),
  audited as (
    select count(posthorn.write_audit_entry($2, organization_id, 'delivery.redelivered', posthorn.type_id('msg', id),
      jsonb_build_object('state', state_before), jsonb_build_object('state', ${deliveryStateSql('changed')})))
    from changed where $2::jsonb is not null
  )
  select subject.id, refusal, changed.id is not null as "isChanged"
  from subject left join changed using (id) left join jobs on true left join released on true left join audited on true`
