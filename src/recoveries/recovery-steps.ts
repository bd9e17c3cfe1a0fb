import { Prisma } from '../db/generated/prisma/client.ts'
import { MAX_ATTEMPTS, PARKED_REASON } from '../deliveries/new-delivery-sql.ts'
import { lowerBoundAt, timestampOf } from '../lib/uuid-v7.ts'
import { firstDeliveryUuidOf } from './recovery-scope.ts'

/** SQL: the webhook, with what its new deliveries get. */
const webhookOf = (webhookId: string) => Prisma.sql`
  select ${Prisma.raw(MAX_ATTEMPTS)} as max_attempts, ${Prisma.raw(PARKED_REASON)} as parked_reason
  from posthorn.webhooks as w left join posthorn.webhook_schedules as s on s.webhook_id = w.id
  where w.id = ${webhookId}::uuid`

/** How many rows a page looks at, at most, to find those to queue. */
const LOOK_AT_MOST = 2_000

/** Where a recovery stands. Uuids. What is recovered of a webhook with a backlog is parked in it. */
export interface RecoveryPosition {
  readonly id: string
  readonly organizationId: string
  readonly webhookId: string
  readonly eventSubscriptions: readonly string[]
  readonly since: Date
  readonly until: Date
  readonly reachedId: string
}

export interface RecoveredPage {
  /** How many deliveries it queued. */
  readonly made: number
  /** Everything up to it is done; null where nothing was left to look at. */
  readonly reachedId: string | null
  /** Whether nothing is left behind it. */
  readonly last: boolean
}

/**
 * Redelivers the next exhausted deliveries, oldest first, each under its `wh-id` and with the whole retry schedule before
 * it. They are found by the index of states, and chosen by their events: one that an earlier recovery created is younger
 * than its event, so only the recovery's own beginning bounds the deliveries.
 */
export async function redeliverFailed(
  tx: Prisma.TransactionClient,
  { id, webhookId, since, until, reachedId }: RecoveryPosition,
  size: number,
): Promise<RecoveredPage> {
  const [page] = await tx.$queryRaw<RecoveredPage[]>`
    with webhook as materialized (${webhookOf(webhookId)}),
    looked as (
      select id, event_id, is_test from posthorn.deliveries
      where webhook_id = ${webhookId}::uuid and indexed_state = 'exhausted'
        and id > ${reachedId}::uuid and id < ${id}::uuid
      order by id limit ${LOOK_AT_MOST}
    ),
    subject as (
      select looked.id from looked
      where not looked.is_test
        and looked.event_id >= ${lowerBoundAt(since)}::uuid and looked.event_id < ${lowerBoundAt(until)}::uuid
        and exists (select from posthorn.events as e where e.id = looked.event_id)
      order by looked.id limit ${size}
    ),
    revived as (
      update posthorn.deliveries as d set
        state = 'pending', finished_at = null, is_backfilled = true, schedule_position = 0, job_written_at = now(),
        max_attempts = d.attempt_count + webhook.max_attempts, parked_reason = webhook.parked_reason,
        parked_at = case when webhook.parked_reason is not null then now() end,
        next_attempt_at = case when webhook.parked_reason is null then now() end
      from subject, webhook where d.id = subject.id and d.state = 'exhausted'
      returning d.*
    ),
    jobs as (
      -- The jobs of exhausted deliveries stayed visible as failed.
      select posthorn.complete_delivery_jobs(array(select posthorn.type_id('msg', id) from revived)),
        posthorn.schedule_deliveries(array_agg(row(id, webhook_id, organization_id, event_type, now(),
          attempt_count, max_attempts, last_error)::posthorn.delivery_job order by id))
      from revived where parked_at is null
    ),
    counted as (
      select (select count(*) from revived)::int as made, (select count(*) from subject) = ${size} as full,
        (select count(*) from looked) = ${LOOK_AT_MOST} as more
    )
    select made,
      (select id from (table subject union all select id from looked where not counted.full) as seen
        order by id desc limit 1) as "reachedId",
      not counted.full and not counted.more as last
    from counted left join jobs on true`
  return page as RecoveredPage
}

/**
 * Creates the deliveries of the next events that the webhook subscribes to and has none of, in their order. Each event
 * type is read by its own range of the index, so that others cost nothing.
 */
export async function createMissed(
  tx: Prisma.TransactionClient,
  position: RecoveryPosition,
  size: number,
): Promise<RecoveredPage> {
  const { organizationId, webhookId, eventSubscriptions, since, until, reachedId } = position
  const from = lowerBoundAt(since)
  const firstDelivery = firstDeliveryUuidOf(timestampOf(reachedId > from ? reachedId : from))
  const [page] = await tx.$queryRaw<RecoveredPage[]>`
    with webhook as materialized (${webhookOf(webhookId)}),
    looked as (
      select event.id, event.type
      from unnest(${eventSubscriptions}::text[]) as subscribed (type), lateral (
        -- Compared and ordered as the index is, so that a rare type is never looked for among all events.
        select e.id, e.type from posthorn.events as e
        where e.organization_id = ${organizationId}::uuid and not e.is_test
          and (e.type, e.id) > (subscribed.type, ${reachedId}::uuid)
          and (e.type, e.id) < (subscribed.type, ${lowerBoundAt(until)}::uuid)
          and e.id >= ${from}::uuid and e.id > ${reachedId}::uuid and e.id < ${lowerBoundAt(until)}::uuid
        order by e.type, e.id limit ${LOOK_AT_MOST}
      ) as event
      order by event.id limit ${LOOK_AT_MOST}
    ),
    received as materialized (
      -- The webhook as text, so that no plan goes through all of its deliveries for those of these events.
      select d.event_id from posthorn.deliveries as d
      where d.event_id = any (array(select id from looked)) and d.webhook_id::text = ${webhookId}
        and d.id >= ${firstDelivery}::uuid
    ),
    subject as (
      select id, type, row_number() over (order by id) as n from looked
      where not exists (select from received where received.event_id = looked.id)
      order by id limit ${size}
    ),
    minted as (
      select id, row_number() over (order by id) as n from (select posthorn.uuid_v7() as id from subject) as made
    ),
    missed as (
      insert into posthorn.deliveries (id, organization_id, webhook_id, event_id, event_type, max_attempts,
        next_attempt_at, parked_at, parked_reason)
      select minted.id, ${organizationId}::uuid, ${webhookId}::uuid, subject.id, subject.type, webhook.max_attempts,
        case when webhook.parked_reason is null then now() end,
        case when webhook.parked_reason is not null then now() end, webhook.parked_reason
      from subject join minted on minted.n = subject.n, webhook order by minted.n
      returning *
    ),
    jobs as (
      select posthorn.schedule_deliveries(array_agg(row(id, webhook_id, organization_id, event_type, now(), 0,
        max_attempts, null)::posthorn.delivery_job order by id))
      from missed where parked_at is null having count(*) > 0
    ),
    counted as (
      select (select count(*) from missed)::int as made, (select count(*) from subject) = ${size} as full,
        (select count(*) from looked) = ${LOOK_AT_MOST} as more
    )
    select made,
      (select id from (
        select id from subject union all select id from looked where not counted.full
      ) as seen order by id desc limit 1) as "reachedId",
      not counted.full and not counted.more as last
    from counted left join jobs on true`
  return page as RecoveredPage
}
