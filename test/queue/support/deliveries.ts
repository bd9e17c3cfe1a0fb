import { v7 as uuidV7 } from 'uuid'
import type { Database } from '../../../src/db/client.ts'
import { publicId } from '../../../src/db/ids.ts'
import type { JobRow } from '../../support/jobs.ts'

/** Stores deliveries with a job each. Returns their public ids. */
export async function addDeliveries(
  { pool }: Database,
  count: number,
  { attemptCount = 0, maxAttempts = 10 } = {},
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

type Job = Pick<JobRow, 'id' | 'key' | 'attempts' | 'maxAttempts' | 'lockedBy' | 'lastError'> & {
  readonly isDue: boolean
}

/** The jobs in the order of their keys, without those of scheduled tasks. */
export async function jobs({ pool }: Database): Promise<Job[]> {
  const { rows } = await pool.query<Job>(
    `select id, key, attempts, max_attempts as "maxAttempts", locked_by as "lockedBy", last_error as "lastError",
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
