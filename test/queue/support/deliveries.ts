import { v7 as uuidV7 } from 'uuid'
import type { Database } from '../../../src/db/client.ts'
import { publicId } from '../../../src/db/ids.ts'

export interface DeliveryFields {
  readonly attemptCount?: number
  readonly maxAttempts?: number
}

/** Stores deliveries with a job each. Returns their public ids. */
export async function addDeliveries(
  { pool }: Database,
  count: number,
  { attemptCount = 0, maxAttempts = 10 }: DeliveryFields = {},
): Promise<string[]> {
  const uuids = Array.from({ length: count }, () => uuidV7())
  await pool.query(
    `insert into posthorn.deliveries
       (id, organization_id, webhook_id, event_id, event_type, attempt_count, max_attempts)
     select id, $2, $3, $4, 'ticket.sold', $5, $6 from unnest($1::uuid[]) as id`,
    [uuids, uuidV7(), uuidV7(), uuidV7(), attemptCount, maxAttempts],
  )
  await pool.query('select posthorn.restore_delivery_jobs($1::uuid[])', [uuids])
  return uuids.map((uuid) => publicId('delivery', uuid))
}

export interface JobRow {
  readonly id: string
  readonly key: string | null
  readonly task: string
  readonly attempts: number
  readonly maxAttempts: number
  readonly lockedBy: string | null
  readonly lastError: string | null
  readonly isDue: boolean
}

/** The jobs in the order of their keys, without those of scheduled tasks. */
export async function jobs({ pool }: Database): Promise<JobRow[]> {
  const { rows } = await pool.query<JobRow>(
    `select id, key, task_identifier as task, attempts, max_attempts as "maxAttempts", locked_by as "lockedBy", last_error as "lastError",
       run_at <= now() and attempts < max_attempts as "isDue"
     from graphile_worker.jobs where task_identifier not in ('posthorn:maintain', 'posthorn:sweep', 'posthorn:roll_up', 'posthorn:send_alerts', 'posthorn:check_jobs')
     order by key, id`,
  )
  return rows
}

export async function runnerIds({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>('select id from posthorn.workers order by id')
  return rows.map(({ id }) => id)
}

export async function countStates({ pool }: Database): Promise<unknown[]> {
  const { rows } = await pool.query(
    `select state::text as state, attempt_count as attempts, count(*)::int as count from posthorn.deliveries
     group by 1, 2 order by 1, 2`,
  )
  return rows
}

/** How many workers have had no heartbeat for some seconds, by the clock of Postgres. */
export async function countLate({ pool }: Database, seconds: number): Promise<number> {
  const { rows } = await pool.query(
    `select count(*)::int as count from posthorn.workers
     where heartbeat_at < clock_timestamp() - make_interval(secs => $1)`,
    [seconds],
  )
  return rows[0].count
}
