import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import { openSession } from '../db/session.ts'
import { createFindDead, type FindDead } from './find-dead.ts'
import { elapsedSinceMs, type Moment, now } from './moment.ts'

/** Shows the runners of this process to be alive, and finds dead ones of all processes. */
export interface Heartbeat extends AsyncDisposable {
  /** Resolves once the runner is registered. It beats from then on. */
  register(runnerId: string): Promise<void>
  unregister(runnerId: string): void
  /**
   * Returns at once while nobody can take the runner for dead; else waits for a heartbeat, as long as Postgres is
   * unavailable. Throws a ClaimLostError once its jobs may be rescued.
   */
  ensureClaimed(runnerId: string, signal: AbortSignal): void | Promise<void>
}

export interface HeartbeatOptions {
  readonly databaseUrl: string
  readonly onBeat: () => void
  /** Others took a runner of this process for dead. */
  readonly onLost: (runnerId: string) => void
  readonly onDead: (runnerIds: string[]) => void
  readonly onError: (error: unknown) => void
}

export class ClaimLostError extends Error {
  override readonly name = 'ClaimLostError'
}

interface OwnRunner {
  /** When the last heartbeat that Postgres confirmed was sent; null before the first. */
  confirmedAt: Moment | null
  isLost: boolean
}

const BEAT_EVERY_MS = 1_000
const RETRY_AFTER_MS = 250

/** Well below the age at which others rescue (find-dead.ts): a task has the difference to act on what it compared. */
const FENCED_AFTER_MS = 8_000

export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { databaseUrl, onBeat, onLost, onDead, onError } = options
  const own = new Map<string, OwnRunner>()
  const findDead = createFindDead()
  const closed = new AbortController()
  const session = openSession(databaseUrl, { name: 'heartbeat', onOpen: async () => {}, onError })

  let beating: Promise<void> | null = null

  /** One at a time; a call while one is in flight shares it. */
  function beat(): Promise<void> {
    beating ??= session.use(beatAndLook).finally(() => {
      beating = null
    })
    return beating
  }

  async function beatAndLook(sql: Sql): Promise<void> {
    await beatRunners(sql, own, onLost)
    onBeat()
    const dead = await look(sql, [...own.keys()], findDead)
    if (dead.length > 0) onDead(dead)
  }

  async function untilConfirmed(runner: OwnRunner, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      const beaten = beat().then(
        () => true,
        () => false,
      )
      // A connection that is silent answers nothing for seconds, and an abort does not wait for that.
      const isConfirmed = await Promise.race([
        beaten,
        sleep(BEAT_EVERY_MS, true, { signal, ref: false }),
      ])
      if (runner.isLost || isFresh(runner)) return
      if (!isConfirmed) await sleep(RETRY_AFTER_MS, undefined, { signal })
    }
  }

  const timer = setInterval(() => {
    beat().catch((error) => {
      if (!closed.signal.aborted) onError(error)
    })
  }, BEAT_EVERY_MS)
  timer.unref()

  return {
    async register(runnerId) {
      const runner: OwnRunner = { confirmedAt: null, isLost: false }
      own.set(runnerId, runner)
      await untilConfirmed(runner, closed.signal)
    },
    unregister(runnerId) {
      const runner = own.get(runnerId)
      if (runner) runner.isLost = true
      own.delete(runnerId)
    },
    ensureClaimed(runnerId, signal) {
      const runner = own.get(runnerId)
      if (!runner || runner.isLost) throw claimLost(runnerId)
      if (isFresh(runner)) return
      return untilConfirmed(runner, signal).then(() => {
        if (runner.isLost) throw claimLost(runnerId)
      })
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      closed.abort()
      await session[Symbol.asyncDispose]()
    },
  }
}

function isFresh({ confirmedAt }: OwnRunner): boolean {
  return confirmedAt !== null && elapsedSinceMs(confirmedAt) < FENCED_AFTER_MS
}

function claimLost(runnerId: string): ClaimLostError {
  return new ClaimLostError(`The jobs of worker runner ${runnerId} may run elsewhere by now.`)
}

async function beatRunners(
  sql: Sql,
  own: ReadonlyMap<string, OwnRunner>,
  onLost: (runnerId: string) => void,
): Promise<void> {
  const beaten = [...own].filter(([, runner]) => !runner.isLost)
  const unregistered = beaten.filter(([, runner]) => runner.confirmedAt === null)
  if (unregistered.length > 0) {
    await sql.query(
      'insert into posthorn.workers (id) select unnest($1::text[]) on conflict do nothing',
      [unregistered.map(([id]) => id)],
    )
  }
  const sentAt = now()
  const { rows } = await sql.query<{ id: string }>(
    `update posthorn.workers set heartbeat_at = clock_timestamp()
     where id = any ($1::text[]) and heartbeat_at > '-infinity' returning id`,
    [beaten.map(([id]) => id)],
  )
  const alive = new Set(rows.map(({ id }) => id))
  for (const [id, runner] of beaten) {
    if (alive.has(id)) runner.confirmedAt = sentAt
    else runner.isLost = true
    if (runner.isLost && own.get(id) === runner) onLost(id)
  }
}

async function look(sql: Sql, own: readonly string[], findDead: FindDead): Promise<string[]> {
  const { rows } = await sql.query(
    `select id, heartbeat_at::text as "heartbeatAt",
       heartbeat_at < clock_timestamp() - interval '12 seconds' as "isOverdue",
       heartbeat_at = '-infinity' as "isAbandoned"
     from posthorn.workers where heartbeat_at < clock_timestamp() - interval '6 seconds' and id <> all ($1::text[])`,
    [own],
  )
  return findDead(rows)
}
