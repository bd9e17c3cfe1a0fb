import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../../db/client.ts'
import { unavailabilityOf } from '../../db/faults.ts'

const PAGE_ROWS = 200

/** Of one maintenance, so that the steps after it wait for minutes at most. The next one goes on. */
const MAX_DELETED = 200_000

const NIL_UUID = '00000000-0000-0000-0000-000000000000'

const MAX_PAUSE_MS = 1_000

/**
 * Deletes what is past the retention of its organization or event type, in pages. Partitions stay until the retention of the
 * installation. What pending deliveries need is kept. Returns how many events and deliveries were deleted.
 */
export async function deletePastRules(sql: Sql, signal?: AbortSignal): Promise<number> {
  let deleted = 0
  for (const { organizationId, eventType } of await findRules(sql)) {
    // Deliveries first, because they need their events.
    for (const name of ['delete_deliveries_past_rule', 'delete_events_past_rule'] as const) {
      let after: string | null = NIL_UUID
      while (after !== null && deleted < MAX_DELETED && !signal?.aborted) {
        const startedAt = performance.now()
        const page: Page = await deletePage(sql, name, organizationId, eventType, after)
        deleted += page.deleted
        after = page.reached
        // Rests, so that others use the database as much.
        await sleep(Math.min(performance.now() - startedAt, MAX_PAUSE_MS))
      }
    }
  }
  return deleted
}

interface Rule {
  readonly organizationId: string
  /** Null: the rule of the organization, for all event types. */
  readonly eventType: string | null
}

/** The rules that something is past. The indexes on (organization_id, id) and (organization_id, type, id) serve it. */
async function findRules(sql: Sql): Promise<Rule[]> {
  const { rows } = await sql.query<Rule>(`
    select o.id as "organizationId", null as "eventType" from posthorn.organizations as o
    where o.retention_days is not null
    union all
    select o.id, t.name from posthorn.event_types as t cross join posthorn.organizations as o
    where t.retention_days is not null and (
      exists (
        select from posthorn.events as e
        where e.organization_id = o.id and e.type = t.name
          and e.id < posthorn.uuid_v7_lower_bound(now() - t.retention_days * interval '1 day') offset 0)
      or exists (
        select from posthorn.deliveries as d
        where d.organization_id = o.id and d.event_type = t.name
          and d.id < posthorn.uuid_v7_lower_bound(now() - t.retention_days * interval '1 day') offset 0))`)
  return rows
}

interface Page {
  readonly deleted: number
  readonly reached: string | null
}

async function deletePage(
  sql: Sql,
  name: 'delete_deliveries_past_rule' | 'delete_events_past_rule',
  organizationId: string,
  eventType: string | null,
  after: string,
): Promise<Page> {
  try {
    const values: unknown[] = [organizationId, eventType, after, PAGE_ROWS]
    const { rows } = await sql.query<Page>(`select * from posthorn.${name}($1, $2, $3, $4)`, values)
    return rows[0] ?? { deleted: 0, reached: null }
  } catch (error) {
    // Others hold locks. The next maintenance tries again.
    if (unavailabilityOf(error) === 'contention') return { deleted: 0, reached: null }
    throw error
  }
}
