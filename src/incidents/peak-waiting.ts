import type { Sql } from '../db/client.ts'
import { MAX_COUNTED_PARKED } from '../scheduling/count-parked.ts'

/** Raises the largest backlog of each open incident to what waits now, with the index deliveries_parked. */
export async function raisePeaks(sql: Sql): Promise<number> {
  const { rowCount } = await sql.query({
    name: 'raise_peaks',
    text: `
      with counted as materialized (
        select i.id, (
          select count(*)::int from (
            select from posthorn.deliveries as d
            where d.webhook_id = i.webhook_id and d.parked_at is not null limit ${MAX_COUNTED_PARKED}
          ) as parked
        ) as waiting
        from posthorn.incidents as i where i.closed_at is null
      ),
      peak as materialized (
        select i.id, counted.waiting from counted join posthorn.incidents as i using (id)
        where i.closed_at is null and i.peak_waiting < counted.waiting for update of i skip locked
      )
      update posthorn.incidents as i set peak_waiting = peak.waiting from peak where i.id = peak.id`,
  })
  return rowCount ?? 0
}
