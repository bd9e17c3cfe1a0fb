import type { Sql } from '../../db/client.ts'
import { backgroundQueue } from '../../queue/background.ts'
import { deleteRows, type PageResult } from './delete-rows.ts'

/**
 * Deletes the next deliveries with their jobs. An attempt that runs keeps its job: it finds no delivery to record, and the
 * deletion waits for the end of the job.
 */
export async function deleteDeliveries(
  sql: Sql,
  workerSchema: string,
  organizationUuid: string,
  after: readonly string[] | null,
  maxRows: number,
): Promise<PageResult> {
  const { rows } = await sql.query<{ keys: string[] | null }>({
    name: 'find_deliveries_of_deleted_organization',
    text: `
      select array_agg(posthorn.type_id('msg', page.id)) filter (where page.state <> 'succeeded') as keys
      from (
        select d.id, d.state from posthorn.deliveries as d where d.organization_id = $1 and d.id > $2
        order by d.id limit $3
      ) as page`,
    values: [organizationUuid, after?.[0] ?? FIRST_ID, maxRows],
  })
  const runningJobs = await completeByKeys(sql, workerSchema, rows[0]?.keys ?? [])
  const page = await deleteRows(sql, organizationUuid, 'deliveries', ['id'], after, maxRows)
  return { ...page, runningJobs }
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Completes the jobs of the organization that have no delivery, except those that run. */
export async function completeJobs(
  sql: Sql,
  workerSchema: string,
  organizationUuid: string,
): Promise<PageResult> {
  const { rows } = await sql.query<{ key: string }>(
    `select prefix || posthorn.type_id('wh', w.id) as key
     from posthorn.webhooks as w, unnest(array['release:', 'cancel:']) as prefix where w.organization_id = $1
     union all
     select posthorn.type_id('task', t.id) from posthorn.bulk_tasks as t where t.organization_id = $1
     union all
     select job.key from ${workerSchema}.jobs as job where job.queue_name = $2 and job.key is not null
     union all
     select 'confirm:' || a.id from posthorn.notice_addresses as a where a.organization_id = $1
     union all
     select 'mail:' || m.id from posthorn.notice_mails as m join posthorn.notice_addresses as a on a.id = m.address_id
     where a.organization_id = $1`,
    [organizationUuid, backgroundQueue(organizationUuid)],
  )
  const keys = rows.map(({ key }) => key)
  return { deleted: 0, reached: null, runningJobs: await completeByKeys(sql, workerSchema, keys) }
}

/** Completes jobs, and returns the keys of those that run. */
async function completeByKeys(
  sql: Sql,
  workerSchema: string,
  keys: readonly string[],
): Promise<string[]> {
  if (keys.length === 0) return []
  await sql.query('select posthorn.complete_delivery_jobs($1::text[])', [keys])
  const { rows } = await sql.query<{ key: string }>(
    `select key from ${workerSchema}.jobs where key = any ($1::text[]) and locked_at is not null`,
    [keys],
  )
  return rows.map(({ key }) => key)
}
