import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import { isDatabaseUnavailable } from '../db/faults.ts'
import { openSession } from '../db/session.ts'
import type { Logger } from '../telemetry/logger.ts'
import { findFreePools, giveBackJobsOfDeadPools } from './give-back.ts'

/** How often each process looks for pools that were killed. */
const LOOK_EVERY_MS = 1_000

/** A pool counts as killed when this many looks in a row find its lock free. */
const DEAD_AFTER_LOOKS = 3

const RETRY_AFTER_MS = 250

/**
 * Gives the jobs of a killed worker back within seconds, where graphile-worker alone waits four hours.
 *
 * Each pool registers its id and holds the advisory lock of that name on a connection of its own, which Postgres frees
 * the moment the process is gone. Whoever finds a registered pool whose lock stays free gives its jobs back. A pool
 * takes its lock before its first job. A restart of Postgres frees the locks of living pools too; they take them again
 * as soon as they are connected, well before they count as killed.
 */
export interface PoolLiveness extends AsyncDisposable {
  /** Resolves once the pool holds its lock. Asking again for the same pool costs nothing. */
  register(poolId: string): Promise<void>
  /** Forgets a pool of this process that has ended: if it still holds jobs, they are for others to take. */
  forget(poolId: string): Promise<void>
}

export interface PoolLivenessOptions {
  readonly databaseUrl: string
  readonly logger: Logger
  /** Told that a living pool of this process counted as killed, as after a while without connections. */
  readonly onLost?: (poolId: string) => void
}

interface OwnPool {
  /** Whether it holds its lock on the connection that is open now. */
  held: boolean
  /** Whether others were told of it. */
  known: boolean
  ready: Promise<void>
}

export function watchPools({ databaseUrl, logger, onLost }: PoolLivenessOptions): PoolLiveness {
  const own = new Map<string, OwnPool>()
  /** How many looks in a row found the lock of a pool free. */
  const freeLooks = new Map<string, number>()
  const closed = new AbortController()

  const session = openSession(databaseUrl, {
    name: 'pool-liveness',
    async onOpen(sql) {
      for (const pool of own.values()) pool.held = false
      freeLooks.clear()
      await holdAll(sql)
    },
    onError: (error) => logger.warn({ error }, 'cannot show this worker to be alive; trying again'),
  })

  let last: Promise<unknown> = Promise.resolve()

  /** Whoever asks waits for those before: a connection is for one statement at a time. */
  function inTurn(run: (sql: Sql) => Promise<void>): Promise<void> {
    const turn = last.then(() => session.use(run))
    last = turn.catch(() => {})
    return turn
  }

  async function holdAll(sql: Sql): Promise<void> {
    for (const [poolId, pool] of own) {
      // Not to be had while another process tries it, or Postgres has not noticed that the last connection broke.
      if (pool.held || !(await tryToHold(sql, poolId))) continue
      const isNew = await writeDown(sql, poolId)
      if (isNew && pool.known) onLost?.(poolId)
      pool.held = true
      pool.known = true
    }
  }

  async function holdAtLast(pool: OwnPool): Promise<void> {
    for (;;) {
      await inTurn(holdAll).catch(() => {})
      if (pool.held) return
      await sleep(RETRY_AFTER_MS, undefined, { signal: closed.signal })
    }
  }

  async function look(sql: Sql): Promise<void> {
    await holdAll(sql)
    const free = await findFreePools(sql, [...own.keys()])
    for (const id of freeLooks.keys()) if (!free.includes(id)) freeLooks.delete(id)
    for (const id of free) freeLooks.set(id, (freeLooks.get(id) ?? 0) + 1)
    const dead = free.filter((id) => (freeLooks.get(id) ?? 0) >= DEAD_AFTER_LOOKS)
    if (dead.length === 0) return
    const pools = await giveBackJobsOfDeadPools(sql, dead)
    if (pools.length > 0) logger.warn({ pools }, 'gave back the jobs of workers that were killed')
  }

  let looking = false
  const timer = setInterval(async () => {
    if (looking) return
    looking = true
    await inTurn(look).catch((error) => {
      // Of that the session tells by itself.
      if (isDatabaseUnavailable(error)) return
      logger.warn({ error }, 'cannot look for killed workers; trying again')
    })
    looking = false
  }, LOOK_EVERY_MS)
  timer.unref()

  return {
    register(poolId) {
      const registered = own.get(poolId)
      if (registered) return registered.ready
      const pool: OwnPool = { held: false, known: false, ready: Promise.resolve() }
      own.set(poolId, pool)
      pool.ready = holdAtLast(pool)
      return pool.ready
    },
    async forget(poolId) {
      own.delete(poolId)
      await inTurn(async (sql) => {
        await sql.query('select pg_advisory_unlock(hashtextextended($1, 0))', [poolId])
        // It stays for others to find while it holds jobs.
        await sql.query(
          `delete from posthorn.worker_pools where id = $1 and not exists (
             select from graphile_worker._private_jobs where locked_by = $1 and not is_available)`,
          [poolId],
        )
      }).catch(() => {})
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      closed.abort()
      await session[Symbol.asyncDispose]()
    },
  }
}

/** Takes it once for each connection, however often it is asked: whoever lets go of it then does. */
async function tryToHold(sql: Sql, poolId: string): Promise<boolean> {
  const { rows } = await sql.query<{ held: boolean }>(
    `select case when exists (
       select from pg_locks
       where locktype = 'advisory' and pid = pg_backend_pid() and objsubid = 1
         and (classid::bigint << 32) | objid::bigint = hashtextextended($1, 0)
     ) then true else pg_try_advisory_lock(hashtextextended($1, 0)) end as held`,
    [poolId],
  )
  return rows[0]?.held === true
}

/** Answers whether it was not written down before. Writes only then, as Postgres may take no writes at the moment. */
async function writeDown(sql: Sql, poolId: string): Promise<boolean> {
  const { rowCount } = await sql.query('select from posthorn.worker_pools where id = $1', [poolId])
  if (rowCount === 1) return false
  await sql.query('insert into posthorn.worker_pools (id) values ($1) on conflict do nothing', [
    poolId,
  ])
  return true
}
