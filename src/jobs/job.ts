import { parseId } from '../db/ids.ts'

/** Where a job stands, as graphile-worker sees it. */
export const JOB_STATES = ['due', 'scheduled', 'running', 'failed'] as const
export type JobState = (typeof JOB_STATES)[number]

/** A job of Posthorn in graphile-worker. Jobs that completed are gone. */
export interface Job {
  /** A number in decimal digits. */
  readonly id: string
  readonly task: string
  /** Of a delivery's job, the delivery's id. */
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
export const DELIVER = 'posthorn:deliver'

/** SQL: the columns of a `Job`, of a row `job` of the view `jobs`. */
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

/** SQL: the same as conditions. */
export const IN_STATE: Readonly<Record<JobState, string>> = {
  due: 'job.locked_at is null and job.attempts < job.max_attempts and job.run_at <= now()',
  scheduled: 'job.locked_at is null and job.attempts < job.max_attempts and job.run_at > now()',
  running: 'job.locked_at is not null',
  failed: 'job.locked_at is null and job.attempts >= job.max_attempts',
}

/** SQL: whether a job is ours: another program may use the schema, too. */
export const IS_OURS = `job.task_identifier like 'posthorn:%'`

/** The id of a job as a caller gives it -> one that Postgres takes as `bigint`, or `null`. */
export function parseJobId(id: string): string | null {
  return /^[1-9]\d{0,17}$/.test(id) ? id : null
}

/** The public id of the delivery that a job makes an attempt for. */
export function deliveryIdOf({ task, key }: Job): string | null {
  return task === DELIVER && key !== null && parseId('delivery', key) !== null ? key : null
}
