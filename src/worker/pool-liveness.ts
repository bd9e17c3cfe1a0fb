import pg from 'pg'
import type { Sql } from '../db/client.ts'
import type { Logger } from '../telemetry/logger.ts'

/** How often each process looks for pools that were killed. */
const SWEEP_INTERVAL_MS = 2_000

/**
 * Gives the jobs of a killed worker back within seconds, where graphile-worker alone waits four hours.
 *
 * Each pool registers its id and holds the advisory lock of that name on a connection of its own, which Postgres frees
 * the moment the process is gone. Whoever finds a registered pool whose lock is free unlocks its jobs. A pool takes its
 * lock before its first job, so a living one is never mistaken.
 */
export interface PoolLiveness extends AsyncDisposable {
  /** Resolves once the pool holds its lock. Asking again for the same pool costs nothing. */
  register(poolId: string): Promise<void>
  /** Gives up the pools of this process, after their runner broke down: their jobs are for others to take. */
  abandon(): Promise<void>
}

export function watchPools(databaseUrl: string, sql: Sql, logger: Logger): PoolLiveness {
  const registrations = new Map<string, Promise<void>>()
  let connection: Promise<pg.Client> | undefined
  let closing = false

  /** When the connection breaks, the lock is gone with it: it is taken again at once, on a new one. */
  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'posthorn-pool-liveness',
      keepAlive: true,
    })
    client.on('error', (error) =>
      logger.warn({ error }, 'the connection that shows this worker to be alive broke'),
    )
    client.on('end', () => {
      connection = undefined
      for (const poolId of registrations.keys()) registrations.set(poolId, hold(poolId))
    })
    await client.connect()
    return client
  }

  async function hold(poolId: string): Promise<void> {
    while (!closing) {
      try {
        connection ??= connect()
        const client = await connection
        await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [poolId])
        await client.query(
          'insert into posthorn.worker_pools (id) values ($1) on conflict do nothing',
          [poolId],
        )
        return
      } catch (error) {
        connection = undefined
        if (!closing) logger.warn({ error }, 'cannot show this worker to be alive; trying again')
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
    }
  }

  const timer = setInterval(() => {
    releaseJobsOfDeadPools(sql, logger).catch((error) =>
      logger.warn({ error }, 'cannot look for killed workers; trying again'),
    )
  }, SWEEP_INTERVAL_MS)
  timer.unref()

  return {
    register(poolId) {
      const known = registrations.get(poolId) ?? hold(poolId)
      registrations.set(poolId, known)
      return known
    },

    async abandon() {
      registrations.clear()
      const client = await connection?.catch(() => undefined)
      // A connection that is gone holds no lock either.
      await client?.query('select pg_advisory_unlock_all()').catch(() => {})
    },

    async [Symbol.asyncDispose]() {
      closing = true
      clearInterval(timer)
      const poolIds = [...registrations.keys()]
      registrations.clear()
      await sql
        .query('delete from posthorn.worker_pools where id = any ($1)', [poolIds])
        .catch(() => {})
      await (await connection?.catch(() => undefined))?.end()
    },
  }
}

/** Answers the pools whose jobs it gave back. Safe when several processes do it at once. */
export async function releaseJobsOfDeadPools(sql: Sql, logger: Logger): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    // The lock of a living pool cannot be had; that of a dead one is held until this statement ends.
    `with dead as (
       delete from posthorn.worker_pools as p
       where p.id in (
         select id from posthorn.worker_pools where pg_try_advisory_xact_lock(hashtextextended(id, 0))
       )
       returning p.id
     ),
     unlocked as (
       select graphile_worker.force_unlock_workers(array_agg(id)) from dead having count(*) > 0
     )
     select id from dead left join unlocked on true`,
  )
  const ids = rows.map((row) => row.id)
  if (ids.length > 0) logger.warn({ pools: ids }, 'gave back the jobs of workers that were killed')
  return ids
}
