import type { Sql } from '../db/client.ts'
import { IN_STATE, IS_OURS, JOB_STATES, type JobState } from './job.ts'

/** How many jobs of one state are counted; a million would take too long for a page that is looked at all day. */
export const MAX_COUNTED = 10_000

export interface JobCount {
  readonly task: string
  readonly state: JobState
  readonly count: number
  /** False when the state holds more jobs than are counted, so that there are perhaps more of the task. */
  readonly exact: boolean
}

/** How many jobs there are, by task and state; of each state the first 10,000 are counted. */
export async function countJobs(sql: Sql, workerSchema: string): Promise<JobCount[]> {
  const counted = JOB_STATES.map(
    (state) => `
      select counts.*, sum(count) over () < ${MAX_COUNTED} as exact from (
        select first.task, '${state}' as state, count(*)::int as count
        from (
          select job.task_identifier as task from ${workerSchema}.jobs as job
          where ${IS_OURS} and ${IN_STATE[state]} limit ${MAX_COUNTED}
        ) as first
        group by first.task
      ) as counts`,
  )
  const { rows } = await sql.query<JobCount>(
    `select task, state, count, exact from (${counted.join(' union all ')}) as counts order by task, state`,
  )
  return rows
}
