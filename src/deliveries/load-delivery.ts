import { batched } from '../batch.ts'
import type { Sql } from '../db/client.ts'

/** A delivery with what an attempt needs to know, as of now. */
export interface LoadedDelivery {
  readonly state: 'pending' | 'succeeded' | 'exhausted' | 'canceled'
  readonly schedulePosition: number
  readonly body: string | null
  readonly traceParent: string | null
  readonly webhookUuid: string
  readonly webhook: 'enabled' | 'disabled' | 'deleted'
  readonly revision: string
}

/** The delivery with a uuid, or `null` when there is none. */
export type LoadDelivery = (uuid: string) => Promise<LoadedDelivery | null>

type LoadedRow = LoadedDelivery & { readonly id: string }

/** Deliveries whose jobs begin in the same tick are loaded by one statement. */
export function createLoadDelivery(sql: Sql): LoadDelivery {
  return batched((uuids: string[]) => loadDeliveries(sql, uuids), { gatherMs: 0, maxSize: 500 })
}

async function loadDeliveries(sql: Sql, uuids: string[]): Promise<(LoadedDelivery | null)[]> {
  const { rows } = await sql.query<LoadedRow>({
    name: 'load_deliveries',
    // The ids of the events are in the rows of the deliveries, so each look-up touches one partition.
    text: `
      select d.id, d.state, d.schedule_position as "schedulePosition", e.body, e.trace_parent as "traceParent",
        d.webhook_id as "webhookUuid", w.revision,
        case when w.deleted_at is not null then 'deleted' when w.enabled then 'enabled' else 'disabled' end as webhook
      from unnest($1::uuid[]) as wanted (id)
      join posthorn.deliveries as d on d.id = wanted.id
      join posthorn.webhooks as w on w.id = d.webhook_id
      left join posthorn.events as e on e.id = d.event_id`,
    values: [uuids],
  })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return uuids.map((uuid) => byId.get(uuid) ?? null)
}
