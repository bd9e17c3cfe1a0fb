import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import { openSession } from '../db/session.ts'
import { repeat } from '../lib/repeat.ts'

/** Sends the heartbeats of this process's runners, and finds dead runners of all processes. */
export interface Heartbeat extends AsyncDisposable {
  /** Resolves once Postgres has stored the runner. Its heartbeats are sent from then on. */
  register(runnerId: string, runner: BeatingRunner): Promise<void>
  unregister(runnerId: string): void
  /**
   * Returns at once while no other process can consider the runner dead. Otherwise waits for the next heartbeat, for as
   * long as Postgres is unavailable. Throws a ClaimLostError once the runner's jobs may have been rescued.
   */
  ensureClaimed(runnerId: string, signal: AbortSignal): void | Promise<void>
}

/** A runner learns of its own heartbeats. */
export interface BeatingRunner {
  onHeartbeat(): void
  /** Another process marked it as abandoned or rescued its jobs. */
  onLost(): void
}

interface HeartbeatOptions {
  readonly databaseUrl: string
  readonly onDead: (runnerIds: string[]) => void
  readonly onError: (error: unknown) => void
}

export class ClaimLostError extends Error {
  override readonly name = 'ClaimLostError'

  constructor(runnerId: string) {
    super(`The worker runner ${runnerId} has lost its claims; another process may run its jobs.`)
  }
}

interface OwnRunner extends BeatingRunner {
  /** When the last heartbeat that Postgres confirmed was sent; null before the first. */
  confirmedAt: ClockReading | null
  isLost: boolean
}

const INTERVAL_MS = 1_000
const RETRY_AFTER_MS = 250

/** Other processes rescue after 12 s. The difference is the time a task has between its check and its request or write. */
const FRESH_FOR_MS = 8_000

/** After an outage of Postgres every heartbeat is overdue. Living runners reconnect while one process sends so long. */
const STEADY_FROM_MS = 4_000

/** After a longer gap between two heartbeats, this process itself was paused or disconnected. */
const MAX_GAP_MS = 4_000

export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { databaseUrl, onDead, onError } = options
  const runners = new Map<string, OwnRunner>()
  let lastAt: ClockReading | null = null
  let steadySince: ClockReading = readClock()
  const closed = new AbortController()
  const session = openSession(databaseUrl, { name: 'heartbeat', onOpen: async () => {}, onError })

  let sending: Promise<void> | null = null

  /** Sends one heartbeat at a time. Concurrent calls share it. */
  function send(): Promise<void> {
    sending ??= session.use(sendAndFindDead).finally(() => {
      sending = null
    })
    return sending
  }

  async function sendAndFindDead(sql: Sql): Promise<void> {
    await updateHeartbeats(sql, runners)
    for (const runner of runners.values()) runner.onHeartbeat()
    const isInterrupted = lastAt === null || elapsedMsSince(lastAt) > MAX_GAP_MS
    lastAt = readClock()
    if (isInterrupted) steadySince = lastAt
    const isSteady = elapsedMsSince(steadySince) >= STEADY_FROM_MS
    const dead = await findDeadRunners(sql, [...runners.keys()], isSteady)
    if (dead.length > 0) onDead(dead)
  }

  async function waitUntilConfirmed(runner: OwnRunner, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      const sent = send().then(
        () => true,
        () => false,
      )
      // A dead connection takes seconds to fail, and an abort must not wait for that.
      const isConfirmed = await Promise.race([
        sent,
        sleep(INTERVAL_MS, true, { signal, ref: false }),
      ])
      if (runner.isLost || isFresh(runner)) return
      if (!isConfirmed) await sleep(RETRY_AFTER_MS, undefined, { signal })
    }
  }

  const beating = repeat(INTERVAL_MS, send, (error) => {
    if (!closed.signal.aborted) onError(error)
  })

  return {
    async register(runnerId, { onHeartbeat, onLost }) {
      const runner: OwnRunner = { onHeartbeat, onLost, confirmedAt: null, isLost: false }
      runners.set(runnerId, runner)
      await waitUntilConfirmed(runner, closed.signal)
    },
    unregister(runnerId) {
      const runner = runners.get(runnerId)
      if (runner) runner.isLost = true
      runners.delete(runnerId)
    },
    ensureClaimed(runnerId, signal) {
      const runner = runners.get(runnerId)
      if (!runner || runner.isLost) throw new ClaimLostError(runnerId)
      if (isFresh(runner)) return
      return waitUntilConfirmed(runner, signal).then(() => {
        if (runner.isLost) throw new ClaimLostError(runnerId)
      })
    },
    async [Symbol.asyncDispose]() {
      closed.abort()
      await session[Symbol.asyncDispose]()
      await beating[Symbol.asyncDispose]()
    },
  }
}

function isFresh({ confirmedAt }: OwnRunner): boolean {
  return confirmedAt !== null && elapsedMsSince(confirmedAt) < FRESH_FOR_MS
}

async function updateHeartbeats(sql: Sql, runners: ReadonlyMap<string, OwnRunner>): Promise<void> {
  const sent = [...runners].filter(([, runner]) => !runner.isLost)
  const unconfirmed = sent.filter(([, runner]) => runner.confirmedAt === null)
  if (unconfirmed.length > 0) {
    await sql.query(
      'insert into posthorn.workers (id) select unnest($1::text[]) on conflict do nothing',
      [unconfirmed.map(([id]) => id)],
    )
  }
  const sentAt = readClock()
  const { rows } = await sql.query<{ id: string }>(
    `update posthorn.workers set heartbeat_at = clock_timestamp()
     where id = any ($1::text[]) and heartbeat_at > '-infinity' returning id`,
    [sent.map(([id]) => id)],
  )
  const alive = new Set(rows.map(({ id }) => id))
  for (const [id, runner] of sent) {
    if (alive.has(id)) runner.confirmedAt = sentAt
    else runner.isLost = true
    if (runner.isLost && runners.get(id) === runner) runner.onLost()
  }
}

/** Finds runners that a process marked as abandoned and, with `withOverdue`, those whose heartbeat is overdue. */
async function findDeadRunners(
  sql: Sql,
  ownIds: readonly string[],
  withOverdue: boolean,
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `select id from posthorn.workers
     where id <> all ($1::text[]) and (heartbeat_at = '-infinity'
       or $2 and heartbeat_at < clock_timestamp() - interval '12 seconds')`,
    [ownIds, withOverdue],
  )
  return rows.map(({ id }) => id)
}

/** A point in time by both clocks of this machine. */
interface ClockReading {
  readonly monotonicMs: number
  readonly wallMs: number
}

function readClock(): ClockReading {
  return { monotonicMs: performance.now(), wallMs: Date.now() }
}

/** The longer of both times: the monotonic clock stops while a machine sleeps, and the wall clock may be set back. */
function elapsedMsSince({ monotonicMs, wallMs }: ClockReading): number {
  return Math.max(performance.now() - monotonicMs, Date.now() - wallMs)
}
