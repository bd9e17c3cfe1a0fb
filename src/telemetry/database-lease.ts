import type { Sql } from '../db/client.ts'

/** Makes one process of all read the state of the database. */
export interface Lease {
  readonly isTaken: boolean
  /** The clock of this process minus that of Postgres. */
  readonly clockDifferenceMs: number
}

/** A process that vanished is followed by another one after this time. */
export const LEASE_MS = 30_000

/** Takes or extends the lease, unless another process has it. */
export async function takeLease(sql: Sql, holder: string): Promise<Lease> {
  const sentAtMs = Date.now()
  const { rows } = await sql.query<{ isTaken: boolean; timeMs: number }>({
    name: 'take_lease',
    text: `
      with taken as (
        insert into posthorn.leases as l (name, holder, expires_at)
        values ('metrics', $1, clock_timestamp() + $2 * interval '1 millisecond')
        on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
          where l.holder = excluded.holder or l.expires_at < clock_timestamp()
        returning true
      )
      select exists (select from taken) as "isTaken",
        (1000 * extract(epoch from clock_timestamp()))::float8 as "timeMs"`,
    values: [holder, LEASE_MS],
  })
  const { isTaken, timeMs } = rows[0] as { isTaken: boolean; timeMs: number }
  return { isTaken, clockDifferenceMs: (sentAtMs + Date.now()) / 2 - timeMs }
}

/** Lets another process take the lease at once. */
export async function endLease(sql: Sql, holder: string): Promise<void> {
  await sql.query('delete from posthorn.leases where holder = $1', [holder])
}
