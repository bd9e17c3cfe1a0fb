import type { Sql } from '../db/client.ts'
import { inTurn } from '../lib/in-turn.ts'
import { parseStoredBody, type StoredBody } from './find-body.ts'
import { type BodyEvent, TOO_LARGE, writeBody } from './write-body.ts'

interface Row extends Omit<BodyEvent, 'id' | 'data'>, StoredBody {
  readonly id: string
  readonly organizationId: string
  readonly webhookId: string
  readonly eventId: string
  readonly data: string | null
  readonly isWhole: boolean
  readonly publicUrl: string | null
}

/**
 * The exact bodies of deliveries, by their uuids. Null for one that was deleted, whose event is past its retention, erased or not kept, or
 * whose selection or template makes too much of its event.
 */
export async function readBodies(
  sql: Sql,
  deliveryUuids: readonly string[],
): Promise<(string | null)[]> {
  const { rows } = await sql.query<Row>({
    name: 'read_bodies',
    text: READ_BODIES,
    values: [[...new Set(deliveryUuids)]],
  })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return await Promise.all(
    deliveryUuids.map(async (uuid) => {
      const row = byId.get(uuid)
      return row ? await bodyOf(row) : null
    }),
  )
}

/** The primary keys serve each lookup. `offset 0` keeps them apart, whatever the planner knows of the tables. */
const READ_BODIES = `
  select read.* from unnest($1::uuid[]) as requested (id), lateral (
    select d.id, d.organization_id as "organizationId", d.webhook_id as "webhookId", e.id as "eventId", e.type, e.occurred_at as "occurredAt", e.data,
      case when d.body_id is not null then e.previous end as previous, d.body_id is null as "isWhole", b.plan, b.template,
      (select public_url from posthorn.settings) as "publicUrl"
    from (select * from posthorn.deliveries as d where d.id = requested.id offset 0) as d
    left join lateral (
      select * from posthorn.events as e where e.id = d.event_id and e.erased_at is null and not d.is_erased offset 0
    ) as e on true
    left join posthorn.webhook_bodies as b on b.id = d.body_id
  ) as read`

async function bodyOf({ data, eventId, isWhole, plan, template, ...row }: Row) {
  if (data === null) return null
  const body = isWhole ? null : parseStoredBody({ plan, template })
  const written = await inTurn(row.organizationId, (budget) =>
    writeBody(body, { ...row, id: eventId, data }, row, budget),
  )
  return written === TOO_LARGE ? null : written
}
