import { z } from 'zod'
import type { Actor } from '../../../auth/access/actor.ts'
import { actorJson } from '../../../auth/audit/audit-entry.ts'
import type { Sql } from '../../../db/client.ts'
import { parseId } from '../../../db/ids.ts'
import { DomainError, notFound } from '../../../lib/errors.ts'
import { lowerBoundAt, timestampOf } from '../../../lib/uuid-v7.ts'
import type { StreamBounds } from '../event-stream.ts'

/** Consumers of one organization. */
export const MAX_CONSUMERS = 100

/** Where a new consumer begins. */
export type ConsumerStart = 'now' | 'oldest'

export const consumerName = z
  .string()
  .regex(
    /^[a-z0-9._-]{1,64}$/,
    'must have 1 to 64 characters: a to z in lower case, digits, ".", "_" and "-".',
  )

/** Creates the consumer, or leaves an existing one. Throws `conflict` above `MAX_CONSUMERS`. */
export async function createConsumer(
  sql: Sql,
  organizationId: string,
  name: string,
  { beginsAfter, newest }: StreamBounds,
  start: ConsumerStart,
  actor: Actor,
): Promise<void> {
  const { position, index } = start === 'oldest' ? beginsAfter : newest
  const { rows } = await sql.query<{ exists: boolean }>({
    name: 'create_event_consumer',
    text: CREATE_CONSUMER,
    values: [organizationId, name, position, index, MAX_CONSUMERS, actorJson(actor)],
  })
  if (rows[0]?.exists) return
  const message = `The organization has ${MAX_CONSUMERS} consumers, as many as it may have. Delete one that nobody uses.`
  throw new DomainError('conflict', message)
}

/** Two first pulls at the same time create one consumer. */
const CREATE_CONSUMER = `
  with created as (
    insert into posthorn.event_consumers (organization_id, name, read_position, read_index)
    select $1, $2, $3, $4
    where (select count(*) from posthorn.event_consumers where organization_id = $1) < $5
    on conflict (organization_id, name) do nothing
    returning id, name
  ),
  audited as materialized (
    select posthorn.write_audit_entry($6::jsonb, $1, 'consumer.created', posthorn.type_id('con', id), null,
      jsonb_build_object('name', name))
    from created
  )
  select exists (select from audited)
    or exists (select from posthorn.event_consumers where organization_id = $1 and name = $2) as exists`

/** Deletes the consumer with its leases. Its name can be used again, for a new consumer. */
export async function deleteConsumer(
  sql: Sql,
  organizationId: string,
  id: string,
  actor: Actor,
): Promise<void> {
  const { rowCount } = await sql.query(
    `with deleted as (
       delete from posthorn.event_consumers where id = $1 and organization_id = $2 returning id, name
     )
     select posthorn.write_audit_entry($3::jsonb, $2, 'consumer.deleted', posthorn.type_id('con', id),
       jsonb_build_object('name', name), null)
     from deleted`,
    [parseId('consumer', id), organizationId, actorJson(actor)],
  )
  if (rowCount === 0) throw notFound('consumer', id)
}

/** A batch of events is stored in the same statement as its events, whose clock may be that of another process. */
const CLOCK_DIFFERENCE_MS = 60_000

/** Those of the events that a consumer of the organization has not acknowledged, and may still ask for. */
export async function findUnreadEvents(
  sql: Sql,
  organizationId: string,
  eventIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const [first] = eventIds
  if (first === undefined) return new Set()
  const { rows } = await sql.query<{ id: string }>({
    name: 'find_unread_events',
    text: FIND_UNREAD,
    values: [
      organizationId,
      eventIds,
      lowerBoundAt(new Date(timestampOf(first).getTime() - CLOCK_DIFFERENCE_MS)),
    ],
  })
  return new Set(rows.map(({ id }) => id))
}

/** An event without a position in the stream is one that nobody has read. */
const FIND_UNREAD = `
  with reader as materialized (
    select id, read_position, read_index from posthorn.event_consumers where organization_id = $1
  ),
  behind as materialized (
    select min(read_position) as position from reader
  )
  select given.id from unnest($2::uuid[]) as given (id)
  where exists (
    select from reader join posthorn.consumer_leases as l on l.consumer_id = reader.id
    where given.id = any (l.event_ids))
  or given.id in (
    select e.id from behind, posthorn.published_batches as b, unnest(b.event_ids) with ordinality as e (id, n)
    where b.organization_id = $1 and b.id >= $3 and b.event_ids && $2::uuid[]
      and (b.position is null or b.position >= behind.position)
      and exists (
        select from reader
        where b.position is null or b.position > reader.read_position
          or b.position = reader.read_position and e.n - 1 > reader.read_index))`
