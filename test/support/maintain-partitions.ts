import type { Sql } from '../../src/db/client.ts'
import { maintainPartitions as maintain } from '../../src/deliveries/retention.ts'
import { until } from './until.ts'

const LOCK_NOT_AVAILABLE = '55P03'

/** Creates the partitions of these days, which are expressions of SQL. */
export async function createPartitions(sql: Sql, first: string, last: string): Promise<void> {
  await untilLocked(
    () =>
      sql.query(
        `select posthorn.create_partition(parent_name, day)
         from posthorn.missing_partitions((${first})::date, (${last})::date)`,
      ),
    'the partitions are created',
  )
}

/** Drops an attached partition. */
export async function dropPartition(sql: Sql, name: string): Promise<void> {
  await untilLocked(
    () =>
      sql.query(
        `do $$ begin
           perform set_config('lock_timeout', '200ms', true);
           drop table posthorn_partitions.${name};
         end $$`,
      ),
    `the partition ${name} is dropped`,
  )
}

/** A change of partitions waits for a lock for 200 ms, so that nobody waits for the change; callers try again. */
async function untilLocked(change: () => Promise<unknown>, expectation: string): Promise<void> {
  await until(async () => {
    try {
      await change()
      return true
    } catch (error) {
      if (Object(error).code !== LOCK_NOT_AVAILABLE) throw error
      return false
    }
  }, expectation)
}

/** Maintains the partitions as at a time. Throws if a step fails. Default: the time of Postgres. */
export async function maintainPartitions(sql: Sql, retentionMs: number, now: Date | null = null) {
  return await maintain(sql, { retentionMs, now }, (_step, run) => run())
}
