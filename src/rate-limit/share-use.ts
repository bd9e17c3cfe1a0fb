import type { Sql } from '../db/client.ts'

/** What may be used up, each with a limit of its own. */
export type Budget = 'requests' | 'events'

/** What a process used of a budget of an API key since it said so last. */
export interface Use {
  readonly keyId: string
  readonly budget: Budget
  readonly amount: number
  readonly perSecond: number
}

/** Adds what this process used to what all did, in one statement; answers the levels that the buckets now have. */
export async function shareUse(
  sql: Sql,
  uses: readonly Use[],
): Promise<{ keyId: string; budget: Budget; level: number }[]> {
  const { rows } = await sql.query<{ api_key_id: string; budget: Budget; level: number }>({
    name: 'share_use',
    // In one order, so that processes never wait for each other in a circle. A clock that was set back drains nothing.
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
      uses.map((use) => use.keyId),
      uses.map((use) => use.budget),
      uses.map((use) => use.amount),
      uses.map((use) => use.perSecond),
    ],
  })
  return rows.map(({ api_key_id: keyId, budget, level }) => ({ keyId, budget, level }))
}
