import type { Sql } from '../db/client.ts'
import { batched } from '../lib/batch.ts'

/** A delivery that needs a reservation under the rate limit of its webhook. */
export interface ReservationRequest {
  readonly webhookId: string
  readonly ratePerSecond: number
}

/**
 * Reserves the next time that a webhook's rate limit allows. Returns it in milliseconds from now; `null` if no time within
 * a second is free. All processes use the clock of Postgres, and no time is reserved twice.
 */
export type Reserve = (request: ReservationRequest) => Promise<number | null>

export function createReserve(sql: Sql): Reserve {
  return batched((requests: ReservationRequest[]) => reserve(sql, requests), {
    maxSize: 500,
  })
}

/** SQL: the number of reservations from `first` on within the next second, at a rate. */
export const reservationsWithinASecond = (first: string, rate: string) =>
  `1 + floor(extract(epoch from clock_timestamp() + interval '1 second' - ${first}) * ${rate})::int`

/** In the order of the ids, so that processes cannot deadlock. */
const RESERVE = `
  with locked as materialized (
    select s.webhook_id, greatest(s.next_reservation_at, clock_timestamp()) as first_at
    from posthorn.webhook_schedules as s where s.webhook_id = any ($1::uuid[])
    order by s.webhook_id for update
  ),
  granted as materialized (
    select webhook_id, given.rate, locked.first_at,
      greatest(0, least(given.wanted, ${reservationsWithinASecond('locked.first_at', 'given.rate')})) as granted
    from unnest($1::uuid[], $2::int[], $3::int[]) as given (webhook_id, wanted, rate) join locked using (webhook_id)
  ),
  updated as (
    update posthorn.webhook_schedules as s
    set next_reservation_at = g.first_at + g.granted * interval '1 second' / g.rate
    from granted as g where s.webhook_id = g.webhook_id and g.granted > 0
  )
  select webhook_id as "webhookId", granted,
    (1000 * extract(epoch from first_at - clock_timestamp()))::float8 as "firstInMs"
  from granted`

async function reserve(sql: Sql, requests: ReservationRequest[]): Promise<(number | null)[]> {
  const groups = [...Map.groupBy(requests, ({ webhookId }) => webhookId)]
  const webhookIds = groups.map(([webhookId]) => webhookId)
  await sql.query({
    name: 'open_schedules',
    text: `
      insert into posthorn.webhook_schedules (webhook_id)
      select id from unnest($1::uuid[]) as id order by id
      on conflict do nothing`,
    values: [webhookIds],
  })
  const { rows } = await sql.query<{ webhookId: string; granted: number; firstInMs: number }>({
    name: 'reserve',
    text: RESERVE,
    values: [
      webhookIds,
      groups.map(([, own]) => own.length),
      groups.map(([, own]) => own[0]?.ratePerSecond),
    ],
  })
  const granted = new Map(
    rows.map((row) => [row.webhookId, { left: row.granted, nextInMs: row.firstInMs }]),
  )
  return requests.map(({ webhookId, ratePerSecond }) => {
    const reservations = granted.get(webhookId)
    if (!reservations || reservations.left === 0) return null
    const inMs = reservations.nextInMs
    reservations.left -= 1
    reservations.nextInMs += 1_000 / ratePerSecond
    return inMs
  })
}
