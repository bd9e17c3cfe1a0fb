import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { isDatabaseUnavailable } from '../db/faults.ts'
import { TASK_PREFIX } from './jobs.ts'

interface ClaimedJob {
  readonly id: string
  readonly runnerId: string
}

export interface LostClaimsOptions {
  readonly pool: pg.Pool
  readonly workerSchema: string
  /** The jobs that each runner of this process holds. */
  readonly held: () => ReadonlyMap<string, ReadonlySet<string>>
  /** Told of runners of this process that claimed jobs they do not hold, and of unknown ones that hold any. */
  readonly onFound: (runnerIds: string[]) => void
  readonly onError: (error: unknown) => void
}

export interface LostClaims extends Disposable {
  /** Looks now, as a connection broke: the answer to a claim may be lost. */
  look(): void
}

const LOOK_EVERY_MS = 60_000

/** A job that is on its way between Postgres and its runner has arrived by then. */
const LOOK_AGAIN_AFTER_MS = 5_000

/** Claims are lost just when Postgres cannot be asked for them. */
const RETRY_AFTER_MS = 1_000

/** Finds jobs that are claimed, and that nobody runs. */
export function watchLostClaims(options: LostClaimsOptions): LostClaims {
  const { onFound, onError } = options
  const closed = new AbortController()
  let looking: Promise<void> | null = null
  let again = false

  async function lookTwice(): Promise<void> {
    const before = await findLost(options)
    if (before.length === 0) return
    await sleep(LOOK_AGAIN_AFTER_MS, undefined, { signal: closed.signal })
    const suspects = new Set(before.map(({ id }) => id))
    const lost = (await findLost(options)).filter(({ id }) => suspects.has(id))
    const runnerIds = [...new Set(lost.map(({ runnerId }) => runnerId))]
    if (runnerIds.length > 0 && !closed.signal.aborted) onFound(runnerIds)
  }

  function look(): void {
    if (looking) {
      again = true
      return
    }
    again = false
    looking = lookTwice()
      .catch(async (error) => {
        if (closed.signal.aborted) return
        onError(error)
        if (!isDatabaseUnavailable(error)) return
        again = true
        await sleep(RETRY_AFTER_MS, undefined, { signal: closed.signal }).catch(() => {})
      })
      .finally(() => {
        looking = null
        if (again && !closed.signal.aborted) look()
      })
  }

  const timer = setInterval(look, LOOK_EVERY_MS)
  timer.unref()
  return {
    look,
    [Symbol.dispose]() {
      clearInterval(timer)
      closed.abort()
    },
  }
}

async function findLost({ pool, workerSchema, held }: LostClaimsOptions): Promise<ClaimedJob[]> {
  const { rows } = await pool.query<ClaimedJob>(
    `select id, locked_by as "runnerId" from ${pg.escapeIdentifier(workerSchema)}.jobs as job
     where locked_at is not null and starts_with(task_identifier, $2) and (
       locked_by = any ($1::text[])
       or not exists (select from posthorn.workers as worker where worker.id = job.locked_by))`,
    [[...held().keys()], TASK_PREFIX],
  )
  return rows.filter(({ id, runnerId }) => !held().get(runnerId)?.has(id))
}
