import type { Sql } from '../db/client.ts'
import { IN_STATE, IS_POSTHORN_JOB, JOB_STATES, type JobState } from './job.ts'

/** Jobs counted per state. Dashboards poll the counts, so a backlog of millions must not slow each poll. */
export const MAX_COUNTED = 10_000

export interface JobCount {
  readonly task: string
  readonly state: JobState
  readonly count: number
  /** False if the state has 10,000 jobs or more, so that the task can have more than `count`. */
  readonly exact: boolean
}

/** Counts jobs by task and state, up to 10,000 per state. */
export async function countJobs(sql: Sql, workerSchema: string): Promise<JobCount[]> {
  const counted = JOB_STATES.map(
    (state) => `
      select counts.*, sum(count) over () < ${MAX_COUNTED} as exact from (
        select first.task, '${state}' as state, count(*)::int as count
        from (
          select job.task_identifier as task from ${workerSchema}.jobs as job
          where ${IS_POSTHORN_JOB} and ${IN_STATE[state]} limit ${MAX_COUNTED}
        ) as first
        group by first.task
      ) as counts`,
  )
  const { rows } = await sql.query<JobCount>(
    `select task, state, count, exact from (${counted.join(' union all ')}) as counts order by task, state`,
  )
  return rows
}
