import type { Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import { TASK_PREFIX, type TaskName, type TaskPayloads } from './jobs.ts'

/**
 * The queue of an organization's work in the background: cancelations after a deletion, and bulk tasks. Its
 * jobs run one after the other, and each runs for a short time and adds the job for its rest. So an organization has one
 * page at a time in all processes together, and its works take turns.
 */
export function backgroundQueue(organizationUuid: string): string {
  return `${TASK_PREFIX}background:${publicId('organization', organizationUuid)}`
}

/** The time after which a job starts no further page, and the next job of the queue runs. */
const MAX_RUN_MS = 250

/** The queue of all deletions of organizations: one page at a time in all processes together. */
export const DELETION_QUEUE = `${TASK_PREFIX}deletions`

export interface Page {
  readonly organizationUuid: string
  /** Milliseconds until the next page; `null` after the last one. */
  readonly waitMs: number | null
}

/**
 * Runs pages until one has to wait, so that no job holds the queue while it sleeps, and adds the job for the rest, which
 * any process can claim. `runPage` returns `null` if there is nothing to do.
 */
export async function runPages<Name extends TaskName, P extends Page>(
  sql: Sql,
  job: {
    readonly task: Name
    readonly key: string
    /** Default: the background queue of the organization. */
    readonly queue?: string
    payload(last: P): TaskPayloads[Name]
  },
  runPage: (previous: P | null) => Promise<P | null>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const endsAtMs = performance.now() + MAX_RUN_MS
  let page = await runPage(null)
  while (page?.waitMs === 0 && !signal?.aborted && performance.now() < endsAtMs) {
    page = await runPage(page)
  }
  if (page === null || page.waitMs === null) return
  // The time is by the clock of Postgres.
  await sql.query(
    `select posthorn.enqueue($1, $2::json, $3, clock_timestamp() + $4::float8 * interval '1 millisecond', $5)`,
    [
      job.task,
      JSON.stringify(job.payload(page)),
      job.key,
      page.waitMs,
      job.queue ?? backgroundQueue(page.organizationUuid),
    ],
  )
}
