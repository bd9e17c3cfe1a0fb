import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { isDatabaseUnavailable } from '../db/faults.ts'
import { TASK_PREFIX } from './jobs.ts'

interface ClaimedJob {
  readonly id: string
  readonly runnerId: string
}

export interface OrphanedJobsOptions {
  readonly pool: pg.Pool
  readonly workerSchema: string
  /** The ids of the jobs that each runner of this process knows it has claimed. */
  readonly claimed: () => ReadonlyMap<string, ReadonlySet<string>>
  /** Called with the runners that orphaned jobs: those of this process, and those that are not in posthorn.workers. */
  readonly onFound: (runnerIds: string[]) => void
  readonly onError: (error: unknown) => void
}

export interface OrphanedJobsWatch extends Disposable {
  /** Checks now. Call it when a connection breaks, as the answer to a claim may be lost. */
  check(): void
}

const CHECK_EVERY_MS = 60_000

/** A claimed job reaches its runner within this time, so jobs that both checks find are orphaned. */
const CHECK_AGAIN_AFTER_MS = 5_000

/** The outage that orphans jobs also makes the check fail. */
const RETRY_AFTER_MS = 1_000

/** Finds orphaned jobs: jobs that are claimed and that no runner runs. */
export function watchOrphanedJobs(options: OrphanedJobsOptions): OrphanedJobsWatch {
  const { onFound, onError } = options
  const closed = new AbortController()
  let checking: Promise<void> | null = null
  let again = false

  async function checkTwice(): Promise<void> {
    const before = await findOrphaned(options)
    if (before.length === 0) return
    await sleep(CHECK_AGAIN_AFTER_MS, undefined, { signal: closed.signal })
    const suspects = new Set(before.map(({ id }) => id))
    const orphaned = (await findOrphaned(options)).filter(({ id }) => suspects.has(id))
    const runnerIds = [...new Set(orphaned.map(({ runnerId }) => runnerId))]
    if (runnerIds.length > 0 && !closed.signal.aborted) onFound(runnerIds)
  }

  function check(): void {
    if (checking) {
      again = true
      return
    }
    again = false
    checking = checkTwice()
      .catch(async (error) => {
        if (closed.signal.aborted) return
        onError(error)
        if (!isDatabaseUnavailable(error)) return
        again = true
        await sleep(RETRY_AFTER_MS, undefined, { signal: closed.signal }).catch(() => {})
      })
      .finally(() => {
        checking = null
        if (again && !closed.signal.aborted) check()
      })
  }

  const timer = setInterval(check, CHECK_EVERY_MS)
  timer.unref()
  return {
    check,
    [Symbol.dispose]() {
      clearInterval(timer)
      closed.abort()
    },
  }
}

async function findOrphaned({
  pool,
  workerSchema,
  claimed,
}: OrphanedJobsOptions): Promise<ClaimedJob[]> {
  const { rows } = await pool.query<ClaimedJob>(
    `select id, locked_by as "runnerId" from ${pg.escapeIdentifier(workerSchema)}.jobs as job
     where locked_at is not null and starts_with(task_identifier, $2) and (
       locked_by = any ($1::text[])
       or not exists (select from posthorn.workers as worker where worker.id = job.locked_by))`,
    [[...claimed().keys()], TASK_PREFIX],
  )
  return rows.filter(({ id, runnerId }) => !claimed().get(runnerId)?.has(id))
}
