import type { Sql } from '../../src/db/client.ts'
import { maintainPartitions as maintain } from '../../src/deliveries/retention.ts'

/** Maintains the partitions as at a time. Throws if a step fails. Default: the time of Postgres. */
export async function maintainPartitions(sql: Sql, retentionMs: number, now: Date | null = null) {
  return await maintain(sql, { retentionMs, now }, (_step, run) => run())
}
