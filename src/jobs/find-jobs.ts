import type { Sql } from '../db/client.ts'
import { IN_STATE, JOB_COLUMNS, type Job, type JobState, parseJobId } from './job.ts'

/** What is missing or null does not matter. */
export interface JobFilter {
  readonly task?: string | null | undefined
  readonly state?: JobState | null | undefined
}

/** Rows between two ids, neither included: the first `limit` of them or, `fromEnd`, the last. */
export interface JobPage {
  readonly after?: string | null | undefined
  readonly before?: string | null | undefined
  readonly limit: number
  readonly fromEnd: boolean
}

/**
 * A page of jobs in the order they were added or, from the end, in reverse. By id, so that every filter is served by an
 * index, whichever of the states holds the million.
 */
export async function findJobs(sql: Sql, filter: JobFilter, page: JobPage): Promise<Job[]> {
  const { rows } = await sql.query<Job>(
    `select ${JOB_COLUMNS} from graphile_worker._private_jobs as job
     where ${conditions(filter)}
       and ($2::bigint is null or job.id > $2) and ($3::bigint is null or job.id < $3)
     order by job.id ${page.fromEnd ? 'desc' : 'asc'} limit $4`,
    [filter.task ?? null, page.after ?? null, page.before ?? null, page.limit],
  )
  return rows
}

function conditions({ task, state }: JobFilter): string {
  const ofTask =
    typeof task === 'string'
      ? 'job.task_id = (select task.id from graphile_worker._private_tasks as task where task.identifier = $1)'
      : '$1::text is null'
  const notDeliver =
    typeof task === 'string' && task !== 'deliver'
      ? ` and (job.key is null or job.key not like 'msg\\_%')`
      : ''
  return `${ofTask}${notDeliver} and ${state ? IN_STATE[state] : 'true'}`
}

/** The jobs that are still there, of those with these ids. */
export async function findJobsByIds(
  sql: Sql,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Job>> {
  const { rows } = await sql.query<Job>(
    `select ${JOB_COLUMNS} from graphile_worker._private_jobs as job where job.id = any ($1::bigint[])`,
    [ids.filter((id) => parseJobId(id) !== null)],
  )
  return new Map(rows.map((job) => [job.id, job]))
}
