import { batched } from '../batch.ts'
import type { Sql } from '../db/client.ts'

/**
 * Sets deliveries aside whose webhook is disabled: they use up no attempt, and their jobs stay visible with a time that
 * never comes. A webhook that was enabled a moment ago sends at once instead.
 *
 * The row of the webhook is locked against the switch: an enabling that has committed is seen, and one that comes later
 * finds the delivery set aside and releases it.
 */
export function createSetAside(sql: Sql): (uuid: string) => Promise<void> {
  return batched(
    async (uuids: string[]) => {
      await sql.query({
        name: 'set_aside',
        text: `
          with off as (
            select w.id from posthorn.webhooks as w
            where w.id in (select webhook_id from posthorn.deliveries where id = any ($1::uuid[]))
              and not w.enabled and w.deleted_at is null
            order by w.id for share
          ),
          aside as (
            update posthorn.deliveries as d set waiting_since = coalesce(d.waiting_since, now()), next_attempt_at = null
            from off where d.id = any ($1::uuid[]) and d.webhook_id = off.id and d.state = 'pending'
            returning d.id
          ),
          again as (
            select d.id, case when aside.id is null then now() else posthorn.never() end as run_at
            from posthorn.deliveries as d left join aside on aside.id = d.id
            where d.id = any ($1::uuid[]) and d.state = 'pending'
          )
          select posthorn.add_deliver_jobs(array_agg(id), array_agg(run_at)) from again having count(*) > 0`,
        values: [uuids],
      })
      return new Array<void>(uuids.length)
    },
    { gatherMs: 3, maxSize: 500 },
  )
}

/** How many deliveries are released by one statement. */
const RELEASE_BATCH = 1_000

/** Makes due what was set aside for a webhook, oldest first, for as long as it is enabled. Answers how many. */
export async function releaseWaiting(sql: Sql, webhookUuid: string): Promise<number> {
  let released = 0
  for (;;) {
    const { rows } = await sql.query<{ released: number }>(
      `
      with due as (
        select d.id from posthorn.deliveries as d join posthorn.webhooks as w on w.id = d.webhook_id
        where d.webhook_id = $1 and d.waiting_since is not null and w.enabled
        order by d.id limit $2
        for update of d
      ),
      released as (
        update posthorn.deliveries as d set
          waiting_since = null,
          next_attempt_at = case when d.state = 'pending' then now() end
        from due where d.id = due.id
        returning d.id, d.state
      ),
      jobs as (
        select posthorn.add_deliver_jobs(array_agg(id), array_agg(now())) from released
        where state = 'pending' having count(*) > 0
      )
      select count(*)::int as released from released left join jobs on true`,
      [webhookUuid, RELEASE_BATCH],
    )
    const count = rows[0]?.released ?? 0
    released += count
    if (count < RELEASE_BATCH) return released
  }
}
