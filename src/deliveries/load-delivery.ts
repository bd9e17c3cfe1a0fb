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

/**
 * The first and the last id say in which partitions they all are. What is as it mostly is comes as null, which takes next to
 * nothing to read.
 */
async function loadDeliveries(sql: Sql, uuids: string[]): Promise<(LoadedDelivery | null)[]> {
  const sorted = uuids.toSorted()
  const { rows } = await sql.query<LoadedRow>({
    name: 'load_deliveries',
    text: `
      select id, nullif(state, 'pending'), nullif(schedule_position, 0), body, trace_parent, organization_id, webhook_id,
        nullif(webhook, 'enabled'), revision, nullif(is_test, false), nullif(held, false), nullif(is_probe, false),
        nullif(has_turn, false), slot_in_ms
      from posthorn.load_deliveries($1::uuid[], $2, $3)`,
    values: [arrayLiteral(sorted), sorted[0], sorted.at(-1)],
    rowMode: 'array',
  })
  const byId = new Map(rows.map((row) => [row[0], row]))
  return uuids.map((uuid) => {
    const row = byId.get(uuid)
    return row ? toLoadedDelivery(row) : null
  })
}

type LoadedRow = [
  id: string,
  state: LoadedDelivery['state'] | null,
  schedulePosition: number | null,
  body: string | null,
  traceParent: string | null,
  organizationId: string,
  webhookId: string,
  webhook: LoadedDelivery['webhook'] | null,
  revision: string,
  isTest: true | null,
  held: true | null,
  isProbe: true | null,
  hasTurn: true | null,
  slotInMs: number | null,
]

/** The objects that `pg` makes are hash tables where there are more than twelve columns: larger, and slower to read. */
function toLoadedDelivery(row: LoadedRow): LoadedDelivery {
  return {
    id: row[0],
    state: row[1] ?? 'pending',
    schedulePosition: row[2] ?? 0,
    body: row[3],
    traceParent: row[4],
    organizationId: row[5],
    webhookId: row[6],
    webhook: row[7] ?? 'enabled',
    revision: row[8],
    isTest: row[9] ?? false,
    held: row[10] ?? false,
    isProbe: row[11] ?? false,
    hasTurn: row[12] ?? false,
    slotInMs: row[13],
  }
}
