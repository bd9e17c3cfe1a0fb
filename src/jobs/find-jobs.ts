import type { Sql } from '../db/client.ts'
import { IN_STATE, IS_POSTHORN_JOB, JOB_COLUMNS, type Job, type JobState } from './job.ts'

/** Conditions on jobs. A missing or null field matches every job. */
export interface JobFilter {
  readonly task?: string | null | undefined
  readonly state?: JobState | null | undefined
}

/** The first `limit` jobs between two ids (exclusive), or with `fromEnd` the last. */
export interface JobPage {
  readonly after?: string | null | undefined
  readonly before?: string | null | undefined
  readonly limit: number
  readonly fromEnd: boolean
}

/** A page of jobs by id, descending with `fromEnd`. The primary key of the jobs serves the order. */
export async function findJobs(
  sql: Sql,
  workerSchema: string,
  { task, state }: JobFilter,
  page: JobPage,
): Promise<Job[]> {
  const { rows } = await sql.query<Job>(
    `select ${JOB_COLUMNS} from ${workerSchema}.jobs as job
     where ${IS_POSTHORN_JOB} and ($1::text is null or job.task_identifier = $1)
       and ($2::bigint is null or job.id < $2) and ($3::bigint is null or job.id > $3)
       and ${state ? IN_STATE[state] : 'true'}
     order by job.id ${page.fromEnd ? 'asc' : 'desc'} limit $4`,
    [task ?? null, page.after ?? null, page.before ?? null, page.limit],
  )
  return rows
}
