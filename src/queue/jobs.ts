import type { Db } from '../db/client.ts'

/** Every task of the worker with the payload of its jobs. A payload contains public ids, never a secret. */
export interface TaskPayloads {
  /** Make one attempt for a delivery. The job's key is the delivery's id. */
  deliver: {
    readonly deliveryId: string
    readonly webhookId: string
    readonly eventType: string
    readonly organizationId: string
  }
  /** Release parked deliveries of a webhook, up to the process's free capacity. */
  release_backlog: { readonly webhookId: string }
  /** Create the deliveries of an organization's events that fan out. */
  fan_out: { readonly organizationId: string }
  /** Continue a bulk task, or a deletion. The job's key is the task's id. */
  continue_bulk_task: { readonly taskId: string }
  /** Create partitions ahead, and delete what is past its retention. */
  maintain: Record<string, never>
  /** Compare deliveries with their jobs. */
  sweep: Record<string, never>
  /** Backfill the index of states, roll up statistics, prune schedules, and erase payloads that are not kept. */
  roll_up: Record<string, never>
  /** Send a mail about an alert. */
  send_alert: { readonly mailId: string }
  /** Send the mail with the link that confirms an address. */
  send_confirmation: { readonly addressId: string }
  /** Report what expires soon, and the exhausted deliveries that share an alert. */
  send_alerts: Record<string, never>
  /** Find the rescheduled jobs of exhausted deliveries, and those that an unknown runner claimed. */
  check_jobs: Record<string, never>
}

export type TaskName = keyof TaskPayloads

/** The prefix of our task identifiers, which keeps them apart from those of other programs in the same schema. */
export const TASK_PREFIX = 'posthorn:'

/** When the periodic tasks run, as in a crontab. */
export const SCHEDULE: Partial<Record<TaskName, string>> = {
  maintain: '*/15 * * * *',
  // Within five minutes, restores the job of a delivery whose job an operator deleted.
  sweep: '*/2 * * * *',
  roll_up: '* * * * *',
  send_alerts: '* * * * *',
  check_jobs: '* * * * *',
}

interface JobOptions {
  /** Replaces an unclaimed job with the same key. */
  readonly key?: string
  readonly runAt?: Date
  /** The jobs of a queue run one after the other. Default: none, the job waits for no other. */
  readonly queue?: string
}

/** Adds a job in the caller's transaction. The job exists only if the transaction commits. */
export async function enqueue<Name extends TaskName>(
  db: Db,
  name: Name,
  payload: TaskPayloads[Name],
  { key, runAt, queue }: JobOptions = {},
): Promise<void> {
  await db.$executeRaw`
    select posthorn.enqueue(
      ${name}, ${JSON.stringify(payload)}::json, ${key ?? null}, ${runAt ?? null}::timestamptz, ${queue ?? null})`
}

export interface TaskRun {
  /** Aborted at shutdown: the task must requeue its work and return. */
  readonly signal: AbortSignal
  /** The key of the job. */
  readonly key: string | null
  /** When the job was to run. */
  readonly runAt: Date
  /**
   * Await it right before each step that must not happen twice: sending a request, and recording its outcome. Throws a
   * ClaimLostError if another process may have rescued the job.
   */
  ensureClaimed(): void | Promise<void>
}

/** The implementation of each task. A task throws only for our own faults, and its job is then retried. */
export type Tasks = {
  [Name in TaskName]: (payload: TaskPayloads[Name], run: TaskRun) => Promise<void>
}
