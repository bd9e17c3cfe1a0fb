import { batched } from '../lib/batch.ts'
import type { Sql } from '../db/client.ts'

/**
 * The next moment that a webhook's rate limit allows, as milliseconds from now; `null` when there is none within a
 * second, or others stand in line before it. Each moment is given once, whichever process asks, and by the clock of
 * Postgres.
 */
export type TakeSlot = (wish: Wish) => Promise<number | null>

export interface Wish {
  readonly webhookId: string
  readonly ratePerSecond: number
  /** Whether it stood in line before, and came too late for its moment. */
  readonly released: boolean
}

interface Granted {
  readonly webhookId: string
  readonly released: boolean
  readonly granted: number
  readonly firstInMs: number
}

export function createTakeSlot(sql: Sql): TakeSlot {
  return batched((wishes: Wish[]) => takeSlots(sql, wishes), { gatherMs: 0, maxSize: 500 })
}

async function takeSlots(sql: Sql, wishes: Wish[]): Promise<(number | null)[]> {
  const groups = [...Map.groupBy(wishes, groupOf).values()].map((own) => ({
    ...(own[0] as Wish),
    wanted: own.length,
  }))
  const { rows } = await sql.query<Granted>({
    name: 'take_slots',
    text: `
      select webhook_id as "webhookId", was_released as released, granted, first_in_ms as "firstInMs"
      from posthorn.take_slots($1::uuid[], $2::boolean[], $3::int[], $4::int[])`,
    values: [
      groups.map(({ webhookId }) => webhookId),
      groups.map(({ released }) => released),
      groups.map(({ wanted }) => wanted),
      groups.map(({ ratePerSecond }) => ratePerSecond),
    ],
  })
  const left = new Map(
    rows.map((row) => [groupOf(row), { next: row.firstInMs, more: row.granted }]),
  )
  return wishes.map((wish) => {
    const slots = left.get(groupOf(wish))
    if (!slots || slots.more === 0) return null
    const inMs = slots.next
    slots.more -= 1
    slots.next += 1_000 / wish.ratePerSecond
    return inMs
  })
}

function groupOf({ webhookId, released }: Pick<Wish, 'webhookId' | 'released'>): string {
  return `${webhookId} ${released}`
}
