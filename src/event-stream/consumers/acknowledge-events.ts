import type { Sql } from '../../db/client.ts'
import { parseId } from '../../db/ids.ts'
import { DomainError, notFound } from '../../lib/errors.ts'
import { checkConsumerName } from './consumer.ts'

/** How long it is known how a lease ended. */
const KEEP_ENDED_MINUTES = 10

/** Ended leases that one acknowledgement deletes. */
const MAX_DELETED = 100

/**
 * Acknowledges the events of a lease. Returns how many; 0 if they were acknowledged before. An expired lease is accepted
 * until its events are given to another pull: then throws `conflict`.
 */
export async function acknowledgeEvents(
  sql: Sql,
  organizationId: string,
  consumer: string,
  lease: string,
): Promise<number> {
  checkConsumerName(consumer)
  const uuid = parseId('lease', lease)
  const { rows } = await sql.query<{
    leaseId: string | null
    endReason: 'acknowledged' | 'given_again' | null
    count: number
  }>({
    name: 'acknowledge_events',
    text: ACKNOWLEDGE,
    values: [organizationId, consumer, uuid, KEEP_ENDED_MINUTES, MAX_DELETED],
  })
  const [row] = rows
  if (!row) throw notFound('consumer', consumer)
  if (row.leaseId === null) {
    throw notFound(
      'lease',
      lease,
      ` The consumer ${consumer} has no such lease, or the lease ended more than ${KEEP_ENDED_MINUTES} minutes ago: then its events were acknowledged, or a later pull got them.`,
    )
  }
  if (row.endReason === 'given_again') {
    const message = `The lease ${lease} had expired, and another pull of the consumer ${consumer} got its events. They are not acknowledged: that pull does it. Ask for a longer lease if the work takes longer.`
    throw new DomainError('conflict', message)
  }
  return row.endReason === null ? row.count : 0
}

/** The primary key of the leases, and the index consumer_leases_ended serve it. */
const ACKNOWLEDGE = `
  with consumer as (
    select id from posthorn.event_consumers where organization_id = $1 and name = $2
  ),
  found as materialized (
    select l.id, l.end_reason, cardinality(l.event_ids) as count
    from consumer, posthorn.consumer_leases as l
    where l.id = $3 and l.consumer_id = consumer.id
    for update of l
  ),
  ended as (
    update posthorn.consumer_leases as l
    set ended_at = now(), end_reason = 'acknowledged', event_ids = '{}', positions = '{}', indexes = '{}'
    from found where l.id = found.id and l.ended_at is null
  ),
  deleted as (
    delete from posthorn.consumer_leases where id in (
      select l.id from consumer, posthorn.consumer_leases as l
      where l.consumer_id = consumer.id and l.ended_at < now() - $4 * interval '1 minute'
      order by l.ended_at limit $5 for update of l skip locked
    )
  )
  select found.id as "leaseId", found.end_reason as "endReason", found.count
  from consumer left join found on true`
