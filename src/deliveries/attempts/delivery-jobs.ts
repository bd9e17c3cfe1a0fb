import type { Sql } from '../../db/client.ts'
import { publicId } from '../../db/ids.ts'
import { batched } from '../../lib/batch.ts'
import type { ReportCanceled } from '../../telemetry/events.ts'
import { cancelDeliveries } from '../cancel-deliveries.ts'
import { MAX_ATTEMPTS } from '../new-delivery-sql.ts'

export type DeliveryJobs = ReturnType<typeof createDeliveryJobs>

/** What happens to a delivery and its job without a recorded attempt. */
export function createDeliveryJobs(
  { pool, pipeline }: { readonly pool: Sql; readonly pipeline: Sql },
  reportCanceled: ReportCanceled,
) {
  return {
    /** Queues the delivery of an aborted attempt for any worker. An aborted attempt does not count as an attempt. */
    requeue: batched(
      async (uuids: string[]) => {
        await pipeline.query('select posthorn.restore_delivery_jobs($1::uuid[])', [uuids])
        return uuids.map(() => undefined)
      },
      { maxSize: 1_000 },
    ),
    /** Cancels a delivery whose event was deleted or erased. */
    async cancel(uuid: string): Promise<void> {
      const canceled = await cancelDeliveries(pool, [uuid], null)
      const deliveryIds = canceled.map((id) => publicId('delivery', id))
      reportCanceled({ count: canceled.length, reason: 'event_deleted', ids: { deliveryIds } })
    },
    /** Makes an exhausted delivery pending again, with a full retry schedule. Its job runs already. */
    async reopen(uuid: string): Promise<void> {
      await pool.query(
        `update posthorn.deliveries as d set ${reopened('now()')}
         from posthorn.webhooks as w
         where d.id = $1 and d.state = 'exhausted' and w.id = d.webhook_id and w.deleted_at is null`,
        [uuid],
      )
    },
    /**
     * Records that the job of a delivery failed by a fault of Posthorn. Without the record, a job that an operator changed
     * earlier, and that then runs out of attempts, looks to the sweep as if the operator permanently failed it.
     */
    async markFault(uuid: string): Promise<void> {
      const text = `update posthorn.deliveries set job_written_at = now() where id = $1 and state = 'pending'`
      await pool.query(text, [uuid]).catch(() => {})
    },
  }
}

/**
 * Makes those exhausted deliveries pending again whose failed jobs an operator rescheduled with `reschedule_jobs`, which
 * alone does not make a failed job runnable. Returns their public ids.
 *
 * Posthorn lets the job of an exhausted delivery run at the time at which it wrote the job, and only `reschedule_jobs`
 * changes that time. For a job that Posthorn wrote and nobody rescheduled, this is also the time of its creation, so the
 * scan of the jobs finds hardly any others.
 */
export async function reopenRescheduled(sql: Sql, workerSchema: string): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(`
    with rescheduled as materialized (
      select job.id, job.run_at, posthorn.parse_type_id('msg', job.key) as delivery_id
      from ${workerSchema}.jobs as job
      where job.task_identifier = 'posthorn:deliver' and job.locked_at is null
        and job.attempts >= job.max_attempts and job.run_at <> job.created_at
    ),
    reopened as (
      update posthorn.deliveries as d set ${reopened('greatest(job.run_at, now())')}
      from rescheduled as job, posthorn.webhooks as w
      where d.id = job.delivery_id and d.state = 'exhausted' and d.job_written_at <> job.run_at
        and w.id = d.webhook_id and w.deleted_at is null
      returning job.id as job_id, d.id, d.attempt_count, d.max_attempts
    )
    select reopened.id from reopened, lateral ${workerSchema}.reschedule_jobs(array[job_id],
      attempts := least(attempt_count, 32766), max_attempts := least(max_attempts, 32767))`)
  return rows.map(({ id }) => publicId('delivery', id))
}

/** SQL: what changes in the delivery `d` of the webhook `w`. */
const reopened = (nextAttemptAt: string) => `
  state = 'pending', finished_at = null, next_attempt_at = ${nextAttemptAt}, is_backfilled = true,
  job_written_at = now(), schedule_position = 0, max_attempts = d.attempt_count + (${MAX_ATTEMPTS})`
