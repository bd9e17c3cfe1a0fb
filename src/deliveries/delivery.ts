import type { Db, Sql } from '../db/client.ts'
import type { Delivery } from '../db/generated/prisma/client.ts'
import { DomainError, notFound } from '../errors.ts'
import { parseId } from '../ids.ts'
import { cancelDeliveries } from './cancel-deliveries.ts'

interface DeliveryDeps {
  readonly prisma: Db
  readonly sql: Sql
}

/** The delivery with a public id, if it belongs to the organization. Throws `not_found` otherwise. */
export async function getDelivery(db: Db, organizationId: string, id: string): Promise<Delivery> {
  const uuid = parseId('delivery', id)
  const delivery = uuid && (await db.delivery.findFirst({ where: { id: uuid, organizationId } }))
  if (!delivery) throw notFound('delivery', id)
  return delivery
}

/**
 * Makes an attempt now, under the same `wh-id`. A finished delivery becomes pending again, with the whole retry
 * schedule before it; of one that is pending, the next attempt is brought forward.
 */
export async function redeliver(
  { prisma, sql }: DeliveryDeps,
  organizationId: string,
  id: string,
): Promise<Delivery> {
  const { id: uuid } = await getDelivery(prisma, organizationId, id)
  const { rows } = await sql.query<{ webhook_deleted: boolean; event_gone: boolean }>(
    `
    with subject as (
      select d.id, d.state, w.deleted_at is not null as webhook_deleted,
        not exists (select from posthorn.events as e where e.id = d.event_id) as event_gone
      from posthorn.deliveries as d join posthorn.webhooks as w on w.id = d.webhook_id
      where d.id = $1 for update of d
    ),
    revived as (
      update posthorn.deliveries as d set
        state = 'pending', finished_at = null, waiting_since = null, next_attempt_at = now(), lingering = true,
        schedule_position = case when subject.state = 'pending' then d.schedule_position else 0 end
      from subject where d.id = subject.id and not subject.webhook_deleted and not subject.event_gone
      returning d.id
    ),
    jobs as (
      -- A job that is running now is an attempt being made; a second one beside it would only repeat it.
      select posthorn.add_deliver_jobs(array_agg(revived.id), array_agg(now())) from revived
      where not exists (
        select from graphile_worker.jobs as job
        where job.key = posthorn.type_id('msg', revived.id) and job.locked_at is not null
      )
      having count(*) > 0
    )
    select webhook_deleted, event_gone from subject left join jobs on true`,
    [uuid],
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
  { prisma, sql }: DeliveryDeps,
  organizationId: string,
  id: string,
): Promise<Delivery> {
  const delivery = await getDelivery(prisma, organizationId, id)
  const canceled = await cancelDeliveries(sql, [delivery.id])
  if (canceled.length === 0 && delivery.state !== 'canceled') {
    const { state } = await getDelivery(prisma, organizationId, id)
    throw new DomainError(
      'conflict',
      `The delivery ${id} is ${state}; only a pending one can be canceled.`,
    )
  }
  return await getDelivery(prisma, organizationId, id)
}
