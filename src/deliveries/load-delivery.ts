import { batched } from '../batch.ts'
import { arrayLiteral } from '../db/array-literal.ts'
import type { Sql } from '../db/client.ts'

/** A delivery with what an attempt needs to know, as of now. */
export interface LoadedDelivery {
  readonly id: string
  readonly state: 'pending' | 'succeeded' | 'exhausted' | 'canceled'
  readonly schedulePosition: number
  readonly body: string | null
  readonly traceParent: string | null
  readonly organizationId: string
  readonly webhookId: string
  readonly webhook: 'enabled' | 'disabled' | 'deleted'
  readonly revision: string
  readonly isTest: boolean
  /** Whether the breaker holds back what the webhook is owed, and whether this delivery is to find out how it fares. */
  readonly held: boolean
  readonly isProbe: boolean
  /** Whether it is its turn, where the webhook takes one at a time. */
  readonly hasTurn: boolean
  /** The moment that the webhook's rate limit gave to it, in milliseconds from now. */
  readonly slotInMs: number | null
}

/** The delivery with a uuid, or `null` when there is none. */
export type LoadDelivery = (uuid: string) => Promise<LoadedDelivery | null>

/** Deliveries whose jobs begin in the same tick are loaded by one statement. */
export function createLoadDelivery(sql: Sql): LoadDelivery {
  return batched((uuids: string[]) => loadDeliveries(sql, uuids), { gatherMs: 0, maxSize: 500 })
}

/** The first and the last id say in which partitions they all are. */
async function loadDeliveries(sql: Sql, uuids: string[]): Promise<(LoadedDelivery | null)[]> {
  const sorted = uuids.toSorted()
  const { rows } = await sql.query<LoadedDelivery>({
    name: 'load_deliveries',
    text: `
      select id, state, schedule_position as "schedulePosition", body, trace_parent as "traceParent",
        organization_id as "organizationId", webhook_id as "webhookId", webhook, revision, is_test as "isTest", held,
        is_probe as "isProbe", has_turn as "hasTurn", slot_in_ms as "slotInMs"
      from posthorn.load_deliveries($1::uuid[], $2, $3)`,
    values: [arrayLiteral(sorted), sorted[0], sorted.at(-1)],
  })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return uuids.map((uuid) => byId.get(uuid) ?? null)
}
