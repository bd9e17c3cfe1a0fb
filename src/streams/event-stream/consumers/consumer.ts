import type { Actor } from '../../../auth/access/actor.ts'
import { actorJson } from '../../../auth/audit/audit-entry.ts'
import type { Sql } from '../../../db/client.ts'
import { parseId } from '../../../db/ids.ts'
import { DomainError, fieldIssue, invalid, notFound } from '../../../lib/errors.ts'
import type { StreamBounds } from '../event-stream.ts'

/** Consumers of one organization. */
export const MAX_CONSUMERS = 100

const NAME = /^[a-z0-9._-]{1,64}$/

/** Where a new consumer begins. */
export type ConsumerStart = 'now' | 'oldest'

export function checkConsumerName(name: string): void {
  if (NAME.test(name)) return
  const rule = 'must have 1 to 64 characters: a to z in lower case, digits, ".", "_" and "-".'
  throw invalid([fieldIssue(['consumer'], 'invalid_format', rule)])
}

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
