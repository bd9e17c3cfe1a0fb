import type { Sql } from '../../db/client.ts'
import { restBetweenPages } from './rest-between-pages.ts'

const PAGE_ROWS = 200

/** For one rule in one maintenance, so that the steps after it wait for minutes at most. */
const MAX_RUN_MS = 60_000

const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/**
 * Deletes what is past the retention of its organization or event type, in pages. Partitions stay until the retention of the
 * installation. What pending deliveries need is kept. Returns how many events and deliveries were deleted.
 */
export async function deletePastRules(sql: Sql, signal?: AbortSignal): Promise<number> {
  let deleted = 0
  for (const { organizationId, eventType } of await findRules(sql)) {
    let after: string | null = NIL_UUID
    const deletePage = async () => {
      if (after === null) return null
      const { rows } = await sql.query<{ deleted: number; reached: string | null }>(
        'select * from posthorn.delete_past_rule($1, $2, $3, $4)',
        [organizationId, eventType, after, PAGE_ROWS],
      )
      after = rows[0]?.reached ?? null
      return rows[0]?.deleted ?? null
    }
    deleted += await restBetweenPages(deletePage, MAX_RUN_MS, signal)
  }
  return deleted
}

interface Rule {
  readonly organizationId: string
  /** Null: the rule of the organization, for all event types. */
  readonly eventType: string | null
}

/** The rules that an event is past. The indexes on (organization_id, id) and (organization_id, type, id) serve it. */
async function findRules(sql: Sql): Promise<Rule[]> {
  const { rows } = await sql.query<Rule>(`
    select o.id as "organizationId", null as "eventType" from posthorn.organizations as o
    where o.retention_days is not null
    union all
    select o.id, t.name from posthorn.event_types as t cross join posthorn.organizations as o
    where t.retention_days is not null and exists (
      select from posthorn.events as e
      where e.organization_id = o.id and e.type = t.name
        and e.id < posthorn.uuid_v7_lower_bound(now() - t.retention_days * interval '1 day') offset 0)`)
  return rows
}
