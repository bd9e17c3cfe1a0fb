import type { Sql } from '../db/client.ts'

/**
 * Completes the failed jobs of finished deliveries after `keepMs`, and returns their number. Also completes failed jobs
 * without a key: such a job was replaced while it ran, and then its worker died.
 */
export async function completeFinishedJobs(
  sql: Sql,
  workerSchema: string,
  keepMs: number,
): Promise<number> {
  const { rows } = await sql.query<{ completed: number }>(
    `select count(*)::int as completed from ${workerSchema}.complete_jobs(array(
       select id from ${workerSchema}.jobs
       where task_identifier = 'posthorn:deliver' and locked_at is null and attempts >= max_attempts and (
         key is null
         or updated_at < now() - $1 * interval '1 millisecond' and not exists (
           select from posthorn.deliveries as d
           where d.id = posthorn.parse_type_id('msg', key) and d.state = 'pending'))
     ))`,
    [keepMs],
  )
  return rows[0]?.completed ?? 0
}
