import type { Config } from '../config/config.ts'
import type { Sql } from '../db/client.ts'
import { unavailabilityOf } from '../db/faults.ts'
import { deletePastRules, maintainPartitions } from '../deliveries/retention.ts'
import { deleteOldBatches } from '../streams/event-stream/event-stream.ts'
import type { MaintenanceStep } from '../telemetry/counters.ts'
import type { CommonServices } from './common-services.ts'

/** Creates partitions, and deletes what is past its time. Throws if a step failed, so that the job is retried. */
export async function maintain(
  { database, logger, metrics }: CommonServices,
  { retentionMs, auditRetentionMs, workerSchema, keepFailedJobsMs }: Config,
  signal: AbortSignal,
): Promise<void> {
  const { pool, background } = database
  const failures: string[] = []
  const results: Partial<Record<MaintenanceStep, unknown>> = {}

  /** Returns the result of the step, or null if it failed. Throws if no other step could run either. */
  async function run<Result>(
    step: MaintenanceStep,
    work: () => Promise<Result>,
    table?: string,
  ): Promise<Result | null> {
    try {
      const result = await work()
      results[step] = result
      return result
    } catch (error) {
      const cause = unavailabilityOf(error)
      // A full disk does not concern all steps: dropping partitions frees it.
      if (cause === 'unreachable' || cause === 'pool_exhausted' || cause === 'stopping') throw error
      const of = table === undefined ? '' : ` of ${table}`
      failures.push(`${step}${of} (${error instanceof Error ? error.message : String(error)})`)
      metrics.count('maintenance_failures', 1, step)
      logger.warn(
        { event: 'maintenance.failed', step, ...(of && { table }), error },
        'a step of the maintenance failed; it is tried again',
      )
      return null
    }
  }

  await maintainPartitions(pool, { retentionMs, signal }, run)
  await run('retention_rules', () => deletePastRules(background, signal))
  await run('finished_jobs', () => completeFinishedJobs(pool, workerSchema, keepFailedJobsMs))
  await run('event_streams', () => deleteOldBatches(pool, retentionMs))
  for (const step of Object.keys(OLD_ROWS) as OldRows[]) {
    const keptMs = step === 'audit_entries' ? auditRetentionMs : retentionMs
    await run(step, () => deleteOldRows(pool, step, keptMs))
  }
  logger.debug(results, 'Maintenance finished.')
  if (failures.length === 0) return
  // Without the errors as its cause: the job fails also if each of them means that others hold locks.
  throw new Error(
    `The other steps of the maintenance have run, but these failed: ${failures.join('; ')}.`,
  )
}

const PAST_RETENTION = `now() - $1 * interval '1 millisecond'`

/** SQL: by step, what deletes rows whose time is over. $1 is the retention in milliseconds. */
const OLD_ROWS = {
  // Except erasures.
  bulk_tasks: [
    `select posthorn.delete_old_bulk_tasks($1::float8 * interval '1 millisecond')::int as deleted`,
  ],
  // Minutes are needed for two days, and until they are rolled up.
  statistics: [
    `delete from posthorn.webhook_statistics
     where bucket < ${PAST_RETENTION} or (minutes = 1 and bucket < least(
       now() - interval '2 days', (select reached_at from posthorn.cursors where name = 'statistics_rollup')))`,
  ],
  holds: [`delete from posthorn.webhook_holds where ended_at < ${PAST_RETENTION}`],
  incidents: [`delete from posthorn.incidents where resolved_at < ${PAST_RETENTION}`],
  secrets: ['delete from posthorn.signing_secrets where expires_at <= now()'],
  idempotency_keys: [
    `delete from posthorn.idempotency_keys where created_at <= now() - interval '24 hours'`,
  ],
  // The counts that no limit counts, and the mails that the mail server has not taken.
  alert_mails: [
    `delete from posthorn.sent_mails where sent_at < now() - interval '1 day'`,
    `delete from posthorn.alert_mails where created_at < now() - interval '3 days'`,
  ],
  // Portal and frontend sessions are deleted a day after their end.
  sessions: [
    'delete from posthorn.sessions where expires_at <= now()',
    'delete from posthorn.sign_in_links where expires_at <= now()',
    'select posthorn.delete_ended_session_keys()::int as deleted',
  ],
  audit_entries: [
    `select posthorn.delete_old_audit_entries($1::float8 * interval '1 millisecond')::int as deleted`,
  ],
} satisfies Partial<Record<MaintenanceStep, readonly string[]>>

type OldRows = keyof typeof OLD_ROWS

/** Runs the statements of a step. Returns how many rows they deleted. */
export async function deleteOldRows(sql: Sql, step: OldRows, retentionMs = 0): Promise<number> {
  let count = 0
  for (const text of OLD_ROWS[step]) {
    const values = text.includes('$1') ? [retentionMs] : []
    const { rows, rowCount } = await sql.query<{ deleted?: number }>(text, values)
    count += rows[0]?.deleted ?? rowCount ?? 0
  }
  return count
}

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
