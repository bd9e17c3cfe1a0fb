import type pg from 'pg'

/** What graphile-worker calls its statement that fetches, with the number of jobs where it is not one. */
export const FETCHING = /^get_job(\d*)\//

/** How often at least all that is due is looked for, not only what became due a moment ago. */
const LOOK_FOR_ALL_EVERY_MS = 250

/**
 * That a job was taken need not be on disk before it runs: whatever is recorded of it later takes that along. What a crash
 * of Postgres loses is that the jobs of the last moment were taken, and they are then taken once more.
 */
const UNWAITED = `(select set_config('synchronous_commit', 'off', true)) is not null`

/**
 * As graphile-worker does it, without what takes time for nothing. It looks for named queues, which no job of these tasks
 * is in; looks each job up a second time, by its id; and asks for all columns, some of them twice, where it and the tasks
 * look at these.
 */
const statement = (limit: number, recency = '') => `
  with wanted as (
    select jobs.ctid as at from graphile_worker._private_jobs as jobs
    where jobs.is_available = true and jobs.run_at <= now() and jobs.task_id = any ($2::int[])
      and jobs.job_queue_id is null ${recency}
    order by jobs.priority asc, jobs.run_at asc
    limit ${limit}
    for update skip locked
  )
  update graphile_worker._private_jobs as jobs
  set attempts = jobs.attempts + 1, locked_by = $1::text, locked_at = now()
  from wanted where jobs.ctid = wanted.at and ${UNWAITED}
  returning jobs.id, jobs.task_id, jobs.job_queue_id, jobs.payload, jobs.attempts, jobs.max_attempts`

const RECENT = `and jobs.priority = 0 and jobs.run_at > now() - interval '5 seconds'`

export type Query = (asked: pg.QueryConfig) => Promise<pg.QueryResult>

/** Runs a statement of graphile-worker that fetches jobs in another way; `null` for every other statement. */
export type FetchJobs = (asked: unknown, query: Query) => Promise<pg.QueryResult> | null

/**
 * Jobs that were taken, or moved to another time, stay in the index by which they are found until it is next vacuumed, in
 * front of those to come: thousands in a minute, that each fetch has to pass over. So while the last look at all that was
 * due left nothing, only what became due since is looked for, and all only now and then, or where there was none.
 * `now` is in milliseconds, from any moment on.
 */
export function createFetchJobs(now = () => performance.now()): FetchJobs {
  let nothingLeftAt = Number.NEGATIVE_INFINITY

  async function fetchJobs(asked: pg.QueryConfig, limit: number, query: Query) {
    const startedAt = now()
    if (startedAt - nothingLeftAt < LOOK_FOR_ALL_EVERY_MS) {
      const text = statement(limit, RECENT)
      const recent = await query({ ...asked, name: `${asked.name}/recent`, text })
      if (recent.rows.length > 0) return recent
    }
    const all = await query({ ...asked, text: statement(limit) })
    nothingLeftAt = all.rows.length < limit ? startedAt : Number.NEGATIVE_INFINITY
    return all
  }

  return (asked, query) => {
    const { name } = asked as Partial<pg.QueryConfig>
    const fetching = name && FETCHING.exec(name)
    return fetching ? fetchJobs(asked as pg.QueryConfig, Number(fetching[1] || 1), query) : null
  }
}
