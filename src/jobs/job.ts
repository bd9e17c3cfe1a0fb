import { parseId } from '../db/ids.ts'

/** The states of a job in graphile-worker. */
export type JobState = 'due' | 'scheduled' | 'running' | 'failed'

/** A job of Posthorn in graphile-worker, which deletes completed jobs. */
export interface Job {
  /** A bigint in decimal digits. */
  readonly id: string
  readonly task: string
  /** For the job of a delivery: the delivery's public id. */
  readonly key: string | null
  readonly state: JobState
  readonly runAt: Date
  readonly attempts: number
  readonly maxAttempts: number
  readonly lastError: string | null
  readonly createdAt: Date
  readonly lockedAt: Date | null
  readonly lockedBy: string | null
}

/** The task of the jobs that make attempts. */
const DELIVER = 'posthorn:deliver'

/** SQL: the columns of a `Job`, from a row `job` of the view `jobs`. */
export const JOB_COLUMNS = `
  job.id::text as id, job.task_identifier as task, job.key,
  case
    when job.locked_at is not null then 'running'
    when job.attempts >= job.max_attempts then 'failed'
    when job.run_at <= now() then 'due'
    else 'scheduled'
  end as state,
  job.run_at as "runAt", job.attempts, job.max_attempts as "maxAttempts", job.last_error as "lastError",
  job.created_at as "createdAt", job.locked_at as "lockedAt", job.locked_by as "lockedBy"`

/** SQL: the condition for each state. */
export const IN_STATE: Readonly<Record<JobState, string>> = {
  due: 'job.locked_at is null and job.attempts < job.max_attempts and job.run_at <= now()',
  scheduled: 'job.locked_at is null and job.attempts < job.max_attempts and job.run_at > now()',
  running: 'job.locked_at is not null',
  failed: 'job.locked_at is null and job.attempts >= job.max_attempts',
}

/** SQL: whether a job is Posthorn's. Another program can use the same graphile-worker schema. */
export const IS_POSTHORN_JOB = `job.task_identifier like 'posthorn:%'`

/** The id of a job if Postgres accepts the input as `bigint`, else `null`. */
export function parseJobId(id: string): string | null {
  return /^[1-9]\d{0,17}$/.test(id) ? id : null
}

/** The public id of a job's delivery, or `null` for a job of another task. */
export function deliveryIdOf({ task, key }: Job): string | null {
  return task === DELIVER && key !== null && parseId('delivery', key) !== null ? key : null
}
