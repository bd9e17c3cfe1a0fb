import type { Sql } from '../../src/db/client.ts'
import { maintainPartitions as maintain } from '../../src/deliveries/retention.ts'

/** Creates the partitions from some days ago until tomorrow. On a busy machine, autovacuum may keep a lock for seconds. */
export async function createPastPartitions(sql: Sql, days: number): Promise<void> {
  await sql.query(`begin; set local lock_timeout = '60s';
    select posthorn.create_partitions(current_date - ${days}, current_date + 1); commit`)
}

/** Maintains the partitions as at a time. Throws if a step fails. Default: the time of Postgres. */
export async function maintainPartitions(sql: Sql, retentionMs: number, now: Date | null = null) {
  return await maintain(sql, { retentionMs, now }, (_step, run) => run())
}
