import type { Sql } from '../db/client.ts'

/** An API key has a separate rate limit for each budget. */
export type Budget = 'requests' | 'events' | 'deliveries'

/** The usage of a budget of an API key in one process since the last sync. */
export interface Usage {
  readonly keyId: string
  readonly budget: Budget
  readonly amount: number
  readonly perSecond: number
}

/** Adds the usage of this process to the usage of all processes. Returns the new levels of the buckets. */
export async function syncUsage(
  sql: Sql,
  usages: readonly Usage[],
): Promise<{ keyId: string; budget: Budget; level: number }[]> {
  const { rows } = await sql.query<{ api_key_id: string; budget: Budget; level: number }>({
    name: 'sync_usage',
    // Rows in a fixed order, so that processes cannot deadlock. A clock that is set back drains nothing.
    text: `
      with used as (
        select * from unnest($1::uuid[], $2::text[], $3::float8[], $4::float8[])
          as u (api_key_id, budget, amount, per_second)
      )
      insert into posthorn.rate_limits as l (api_key_id, budget, level)
      select u.api_key_id, u.budget, u.amount
      from used as u join posthorn.api_keys as k on k.id = u.api_key_id
      order by u.api_key_id, u.budget
      on conflict (api_key_id, budget) do update set
        level = excluded.level + greatest(0, l.level
          - greatest(0, extract(epoch from clock_timestamp() - l.counted_at)::float8)
          * (select per_second from used where used.api_key_id = l.api_key_id and used.budget = l.budget)),
        counted_at = clock_timestamp()
      returning l.api_key_id, l.budget, l.level`,
    values: [
      usages.map((usage) => usage.keyId),
      usages.map((usage) => usage.budget),
      usages.map((usage) => usage.amount),
      usages.map((usage) => usage.perSecond),
    ],
  })
  return rows.map(({ api_key_id: keyId, budget, level }) => ({ keyId, budget, level }))
}
