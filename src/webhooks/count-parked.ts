import type { Sql } from '../db/client.ts'

/** Upper bound of the count of one webhook, as a backlog may have millions of deliveries. */
export const MAX_COUNTED_PARKED = 10_000

/** Counts the parked deliveries of each webhook, with the index deliveries_parked. */
export async function countParked(sql: Sql, webhookIds: readonly string[]): Promise<number[]> {
  const { rows } = await sql.query<{ parked: number }>({
    name: 'count_parked',
    text: `
      select (
        select count(*)::int from (
          select from posthorn.deliveries as d
          where d.webhook_id = given.id and d.parked_at is not null limit ${MAX_COUNTED_PARKED}
        ) as parked
      ) as parked
      from unnest($1::uuid[]) with ordinality as given (id, n) order by n`,
    values: [webhookIds],
  })
  return rows.map(({ parked }) => parked)
}
