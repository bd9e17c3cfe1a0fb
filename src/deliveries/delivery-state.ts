import type { IndexedDeliveryState } from '../db/generated/prisma/client.ts'

/** The state of a delivery as people see it. Postgres stores the first three as `pending`. */
export type DeliveryState = IndexedDeliveryState | 'succeeded'

/** The columns that determine the state. */
export interface DeliveryStateColumns {
  readonly state: 'pending' | 'succeeded' | 'exhausted' | 'canceled'
  readonly attemptCount: number
  readonly parkedAt: Date | null
}

export function deliveryState({
  state,
  attemptCount,
  parkedAt,
}: DeliveryStateColumns): DeliveryState {
  if (state !== 'pending') return state
  if (parkedAt !== null) return 'waiting'
  return attemptCount > 0 ? 'retrying' : 'queued'
}

/** SQL: the same for a row of `posthorn.deliveries`, as text. */
export const deliveryStateSql = (row: string) => `
  case
    when ${row}.state <> 'pending' then ${row}.state::text
    when ${row}.parked_at is not null then 'waiting'
    when ${row}.attempt_count > 0 then 'retrying'
    else 'queued'
  end`
