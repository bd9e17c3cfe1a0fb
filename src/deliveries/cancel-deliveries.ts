import type { Sql } from '../db/client.ts'

/** Takes the state, then the job: a worker that runs the job meanwhile finds a canceled delivery. */
const CANCEL = `
  canceled as (
    update posthorn.deliveries as d set
      state = 'canceled', finished_at = now(), next_attempt_at = null, waiting_since = null
    from owed where d.id = owed.id and d.state = 'pending'
    returning d.id
  ),
  jobs as (
    select count(*) as removed from (
      select graphile_worker.complete_jobs(array(
        select job.id from graphile_worker.jobs as job
        where job.key in (select posthorn.type_id('msg', canceled.id) from canceled) and job.locked_at is null
      ))
    ) as done
  )`

/** Cancels deliveries that are pending, with their jobs. The others stay as they are. Answers which it canceled. */
export async function cancelDeliveries(sql: Sql, uuids: readonly string[]): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `with owed as (select unnest($1::uuid[]) as id), ${CANCEL}
     select id from canceled left join jobs on true`,
    [uuids],
  )
  return rows.map((row) => row.id)
}

/** How many deliveries of a webhook are looked at by one statement. */
const CANCEL_BATCH = 5_000

/** Cancels all that is still owed to a deleted webhook. Safe to repeat, and to break off anywhere. */
export async function cancelDeliveriesOfWebhook(sql: Sql, webhookUuid: string): Promise<number> {
  let canceled = 0
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await sql.query<{ last: string | null; canceled: number }>(
      `with page as (
         select id, state from posthorn.deliveries where webhook_id = $1 and id > $2 order by id limit $3
       ),
       owed as (select id from page where state = 'pending'), ${CANCEL}
       select (select id from page order by id desc limit 1) as last, (select count(*)::int from canceled) as canceled
       from jobs`,
      [webhookUuid, after, CANCEL_BATCH],
    )
    const [page] = rows
    canceled += page?.canceled ?? 0
    if (!page?.last) return canceled
    after = page.last
  }
}
