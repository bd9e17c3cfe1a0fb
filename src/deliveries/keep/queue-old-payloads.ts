import type { Sql } from '../../db/client.ts'
import { DAYS_AFTER_EXHAUSTED } from './days-after-exhausted.ts'

const PAGE_EVENTS = 1_000

/** Of one maintenance. The next one goes on. */
const MAX_QUEUED = 200_000

/**
 * Queues the older events of organizations that keep no payloads: those that no webhook received, and those that were
 * delivered before the organization chose so. Each event is queued once. Returns how many.
 */
export async function queueOldPayloads(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ id: string }>(
    'select id from posthorn.organizations where not keep_payloads and deleted_at is null',
  )
  let queued = 0
  for (const { id } of rows) {
    let page = PAGE_EVENTS
    while (page === PAGE_EVENTS && queued < MAX_QUEUED) {
      page = await queuePage(sql, id)
      queued += page
    }
  }
  return queued
}

/** The index on (organization_id, id) serves it. */
async function queuePage(sql: Sql, organizationId: string): Promise<number> {
  const { rows } = await sql.query<{ count: number }>({
    name: 'queue_old_payloads',
    text: `
      with organization as (
        select id, coalesce(payloads_queued_to, '00000000-0000-0000-0000-000000000000') as reached
        from posthorn.organizations where id = $1 and not keep_payloads for no key update
      ),
      page as materialized (
        select e.id, e.erased_at from organization, lateral (
          select e.id, e.erased_at from posthorn.events as e
          where e.organization_id = organization.id and e.id > organization.reached
            and e.id < posthorn.uuid_v7_lower_bound(now() - interval '${DAYS_AFTER_EXHAUSTED} days')
          order by e.id limit ${PAGE_EVENTS}
        ) as e
      ),
      queued as (
        insert into posthorn.unkept_payloads (organization_id, event_id, due_at)
        select $1, id, now() from page where erased_at is null
      ),
      moved as (
        update posthorn.organizations set payloads_queued_to = (select id from page order by id desc limit 1)
        where id = $1 and exists (select from page)
      )
      select count(*)::int as count from page`,
    values: [organizationId],
  })
  return rows[0]?.count ?? 0
}
