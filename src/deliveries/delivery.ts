import { type Actor, SYSTEM } from '../audit/actor.ts'
import { actorJson } from '../audit/audit-entry.ts'
import type { Db, Sql } from '../db/client.ts'
import type { Delivery } from '../db/generated/prisma/client.ts'
import { DomainError, notFound } from '../errors.ts'
import { parseId } from '../ids.ts'
import { cancelDeliveries } from './cancel-deliveries.ts'

interface DeliveryDeps {
  readonly prisma: Db
  readonly sql: Sql
  /** Who acts, for the audit log. Default: Posthorn itself. */
  readonly actor?: Actor
}

/** The delivery with a public id, if it belongs to the organization. Throws `not_found` otherwise. */
async function getDelivery(db: Db, organizationId: string, id: string): Promise<Delivery> {
  const uuid = parseId('delivery', id)
  const delivery = uuid && (await db.delivery.findFirst({ where: { id: uuid, organizationId } }))
  if (!delivery) throw notFound('delivery', id)
  return delivery
}

/**
 * Makes an attempt now, under the same `wh-id`. A finished delivery becomes pending again, with the whole retry
 * schedule before it; of one that is pending, the next attempt is brought forward. Where its webhook has no room for
 * it, it is the next one in line.
 */
export async function redeliver(
  { prisma, sql, actor = SYSTEM }: DeliveryDeps,
  organizationId: string,
  id: string,
): Promise<Delivery> {
  const { id: uuid } = await getDelivery(prisma, organizationId, id)
  const { rows } = await sql.query<{ webhook_deleted: boolean; event_gone: boolean }>(
    `
    with subject as (
      select d.id, d.state, d.webhook_id, w.ordered, w.deleted_at is not null as webhook_deleted,
        not exists (select from posthorn.events as e where e.id = d.event_id) as event_gone
      from posthorn.deliveries as d join posthorn.webhooks as w on w.id = d.webhook_id
      where d.id = $1 for update of d
    ),
    revived as (
      update posthorn.deliveries as d set
        state = 'pending', finished_at = null, is_backfilled = true,
        -- Where one at a time is sent, it waits for its turn, before all that happened later.
        parked_at = case when subject.ordered then now() end,
        next_attempt_at = case when not subject.ordered then now() end,
        has_priority = not subject.ordered,
        schedule_position = case when subject.state = 'pending' then d.schedule_position else 0 end
      from subject where d.id = subject.id and not subject.webhook_deleted and not subject.event_gone
      returning d.id, d.organization_id, d.webhook_id, subject.ordered, subject.state as state_before
    ),
    -- Of a webhook whose deliveries are held back, a person may send this one all the same.
    probed as (
      update posthorn.webhook_schedules as f set probe_delivery_id = revived.id
      from revived where f.webhook_id = revived.webhook_id and f.on_hold_since is not null
    ),
    jobs as (
      -- A job that is running now is an attempt being made; a second one beside it would only repeat it. That of a
      -- delivery that is finished may be running its last moments, and does not do for another attempt.
      select posthorn.add_deliver_jobs(
        array_agg(revived.id), array_agg(case when revived.ordered then posthorn.never() else now() end))
      from revived
      where revived.state_before <> 'pending' or not exists (
        select from graphile_worker.jobs as job
        where job.key = posthorn.type_id('msg', revived.id) and job.locked_at is not null
      )
      having count(*) > 0
    ),
    released as (
      select graphile_worker.add_job('release_waiting_deliveries',
        payload := json_build_object('webhookId', posthorn.type_id('wh', revived.webhook_id)))
      from revived where revived.ordered
    ),
    audited as (
      select posthorn.write_audit_entry($2, revived.organization_id, 'delivery.redelivered',
        posthorn.type_id('msg', revived.id), jsonb_build_object('state', revived.state_before), '{"state": "pending"}')
      from revived
    )
    select webhook_deleted, event_gone
    from subject left join jobs on true left join released on true left join audited on true`,
    [uuid, actorJson(actor)],
  )
  if (rows[0]?.webhook_deleted) {
    throw new DomainError(
      'conflict',
      `The webhook of the delivery ${id} was deleted, so it cannot be redelivered.`,
    )
  }
  if (rows[0]?.event_gone) {
    throw new DomainError(
      'conflict',
      `The event of the delivery ${id} is past its retention, so it cannot be redelivered.`,
    )
  }
  return await getDelivery(prisma, organizationId, id)
}

/** Makes no further attempt. One that is under way ends, and is recorded. A finished delivery is refused. */
export async function cancelDelivery(
  { prisma, sql, actor = SYSTEM }: DeliveryDeps,
  organizationId: string,
  id: string,
): Promise<Delivery> {
  const delivery = await getDelivery(prisma, organizationId, id)
  const canceled = await cancelDeliveries(sql, [delivery.id], actor)
  if (canceled.length === 0 && delivery.state !== 'canceled') {
    const { state } = await getDelivery(prisma, organizationId, id)
    throw new DomainError(
      'conflict',
      `The delivery ${id} is ${state}; only a pending one can be canceled.`,
    )
  }
  return await getDelivery(prisma, organizationId, id)
}
