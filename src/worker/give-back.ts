import type { Sql } from '../db/client.ts'

/*
 * Jobs that are given back get new ids. A pool that was taken for killed may still be at work, and when it completes a
 * job it deletes it by its id, whoever holds it by then: it must not delete what was scheduled anew under the same key.
 *
 * A job of a delivery without a key was replaced while it ran: it never runs again, so it is removed.
 */
const GIVE_BACK = `
  replaced as (
    delete from graphile_worker._private_jobs as job using taken
    where job.id = taken.id and taken.replaced
  ),
  given_back as (
    update graphile_worker._private_jobs as job
    set id = default, locked_at = null, locked_by = null, attempts = greatest(job.attempts - taken.forgiven, 0)
    from taken where job.id = taken.id and not taken.replaced
    returning job.id
  )`

const DELIVER = `(
    select task.id from graphile_worker._private_tasks as task where task.identifier = 'deliver'
  )`

const TAKEN_COLUMNS = `job.id, job.key is null and job.task_id = ${DELIVER} as replaced`

/** Answers how many jobs, now due at once for anybody, it gave back of those that a pool of this process holds. */
export async function giveBackJobs(
  sql: Sql,
  poolId: string,
  which: { readonly only: readonly string[] } | { readonly allBut: readonly string[] },
): Promise<number> {
  const [ids, wanted] = 'only' in which ? [which.only, true] : [which.allBut, false]
  const { rows } = await sql.query<{ count: number }>(
    `with taken as (
       select ${TAKEN_COLUMNS}, 1 as forgiven from graphile_worker._private_jobs as job
       where not job.is_available and job.locked_by = $1 and (job.id = any ($2::bigint[])) = $3
       for update
     ), ${GIVE_BACK}
     select count(*)::int as count from given_back`,
    [poolId, ids, wanted],
  )
  return rows[0]?.count ?? 0
}

/**
 * The pools whose lock nobody holds at this moment, but for those of the caller: the registered ones, and any that holds
 * deliveries, which no program but this one does.
 */
export async function findFreePools(sql: Sql, own: readonly string[]): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `with pools as materialized (
       select pool.id from posthorn.worker_pools as pool
       union
       select job.locked_by from graphile_worker._private_jobs as job
       where not job.is_available and job.locked_by is not null and job.task_id = ${DELIVER}
     ),
     others as materialized (select id from pools where id <> all ($1::text[]))
     select id from others where pg_try_advisory_xact_lock(hashtextextended(id, 0))`,
    [own],
  )
  return rows.map((row) => row.id)
}

/**
 * Gives back the jobs of those of the pools whose lock is still free, and forgets these pools; answers which. Safe when
 * several processes do it at once. The jobs keep count of how often they were begun, so that one that kills its process
 * does not do so forever.
 */
export async function giveBackJobsOfDeadPools(
  sql: Sql,
  poolIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    // The lock of a living pool cannot be had; that of a dead one is held until this statement ends.
    `with dead as materialized (
       select id from unnest($1::text[]) as wanted (id)
       where pg_try_advisory_xact_lock(hashtextextended(id, 0))
     ),
     forgotten as (
       delete from posthorn.worker_pools as pool using dead where pool.id = dead.id returning pool.id
     ),
     taken as (
       select ${TAKEN_COLUMNS}, 0 as forgiven from graphile_worker._private_jobs as job
       where not job.is_available and (
         job.locked_by in (select id from forgotten)
         or job.task_id = ${DELIVER} and job.locked_by in (select id from dead)
       )
       for update
     ), ${GIVE_BACK}
     select id from forgotten`,
    [poolIds],
  )
  return rows.map((row) => row.id)
}
