import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import type { Pools } from '../db/pools.ts'
import { reopenRescheduled } from '../deliveries/reopen-exhausted.ts'
import type { ReportSweep } from '../telemetry/events.ts'

export interface RescheduledOptions {
  readonly pool: Pick<Pools['pool'], 'connect'>
  readonly workerSchema: string
  readonly report: ReportSweep
  readonly onError: (error: unknown) => void
}

/** An operator who runs an exhausted delivery again waits about this long for the attempt. */
const EVERY_MS = 3_000

/** The search reads all jobs: with very many, it runs less often, so that it takes at most this part of the time. */
const MAX_LOAD = 0.05

/** Reopens exhausted deliveries whose failed jobs an operator rescheduled. All workers together search one at a time. */
export function watchRescheduled({
  pool,
  workerSchema,
  report,
  onError,
}: RescheduledOptions): AsyncDisposable {
  const closed = new AbortController()
  const { signal } = closed

  async function search(): Promise<void> {
    const client = await pool.connect()
    // A search may take long. Without its connection, it changes nothing.
    const disconnect = () => client.release(true)
    if (signal.aborted) return disconnect()
    signal.addEventListener('abort', disconnect, { once: true })
    try {
      const reopened = await inTurn(client, () => reopenRescheduled(client, workerSchema))
      if (reopened) report({ reopened })
      if (!signal.aborted) client.release()
    } catch (error) {
      if (signal.aborted) return
      disconnect()
      throw error
    } finally {
      signal.removeEventListener('abort', disconnect)
    }
  }

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      await search().catch(onError)
      await sleep(EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }

  const watching = watch()
  return {
    async [Symbol.asyncDispose]() {
      closed.abort()
      await watching
    },
  }
}

/** The cursor is the end of the pause after the last search. */
const BEGIN_TURN = `
  select pg_try_advisory_xact_lock(hashtextextended('posthorn.rescheduled_jobs', 0)) and not exists (
    select from posthorn.cursors where name = 'rescheduled_jobs' and reached_at > clock_timestamp()) as "isMine"`

const END_TURN = `
  insert into posthorn.cursors (name, reached_at)
  values ('rescheduled_jobs', clock_timestamp() + (clock_timestamp() - transaction_timestamp()) * $1::float8)
  on conflict (name) do update set reached_at = excluded.reached_at`

/** Returns null if another worker searches, or if the pause after the last search is not over. */
async function inTurn<Result>(sql: Sql, run: () => Promise<Result>): Promise<Result | null> {
  await sql.query('begin')
  const { rows } = await sql.query<{ isMine: boolean }>(BEGIN_TURN)
  const result = rows[0]?.isMine ? await run() : null
  if (rows[0]?.isMine) await sql.query(END_TURN, [1 / MAX_LOAD])
  await sql.query('commit')
  return result
}
