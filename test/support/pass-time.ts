import type { Sql } from '../../src/db/client.ts'

/** Lets time pass for holds and failures: moves their times into the past. */
export async function passTime(sql: Sql, seconds: number): Promise<void> {
  const by = `- ${seconds} * interval '1 second'`
  await sql.query(`
    with failures as (
      update posthorn.webhook_conditions
      set failing_since = failing_since ${by}, next_evaluation_at = next_evaluation_at ${by}
    ),
    holds as (update posthorn.webhook_holds set started_at = started_at ${by})
    update posthorn.webhook_schedules set on_hold_since = on_hold_since ${by}, next_probe_at = next_probe_at ${by}`)
}
