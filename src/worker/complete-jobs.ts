import type pg from 'pg'
import { FETCHING } from './fetch-jobs.ts'

/** What graphile-worker calls its statements that delete jobs that are done: one by its id, or all of a list. */
const COMPLETING = /^complete_job(s?)\//

/**
 * Only what the pool holds. A crash of Postgres may have forgotten that a job was taken (`fetch-jobs.ts`); then another
 * pool may run it by now, or the row was made the job of the next attempt.
 */
const statement = (isList: boolean) => `
  delete from graphile_worker._private_jobs as jobs
  using unnest(${isList ? '$1::bigint[]' : 'array[$1::bigint]'}) as done (id)
  where jobs.id = done.id and jobs.locked_by = $2::text`

/** Puts the statements of graphile-worker that complete jobs in other words, and leaves all others as they are. */
export type CompleteJobs = (asked: unknown) => unknown

export function createCompleteJobs(): CompleteJobs {
  let poolId: unknown
  return (asked) => {
    const { name, values } = asked as Partial<pg.QueryConfig<unknown[]>>
    if (!name) return asked
    // It says which pool it is where it fetches, and has fetched whatever it completes.
    if (FETCHING.test(name)) poolId = values?.[0]
    const completing = COMPLETING.exec(name)
    if (!completing) return asked
    return { name, text: statement(completing[1] === 's'), values: [values?.[0], poolId] }
  }
}
