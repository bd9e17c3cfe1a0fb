import { setTimeout } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import { explainRefusal } from '../filters/explain-refusal.ts'
import type { Filter } from '../filters/filter.ts'
import { readableData } from '../filters/readable-data.ts'

/** What a filter would have done with the newest events. */
export interface FilterTrial {
  readonly events: readonly TriedEvent[]
}

export interface TriedEvent {
  readonly uuid: string
  readonly matches: boolean
  /** Null if the event matches. */
  readonly refusedBy: string | null
}

/** Events that a trial reads, and the bytes of their data. */
export const MAX_TRIED = 100
const MAX_BYTES = 2 * 1024 * 1024

/** Parsing yields to the event loop after this time. */
const SLICE_MS = 10

/**
 * Tries a filter on the newest events of some types, newest first: at most 100, and fewer if they have more than 2 MiB of
 * data. `onlyWebhook` leaves out events without a delivery to it.
 */
export async function tryFilter(
  sql: Sql,
  organizationId: string,
  filter: Filter,
  {
    types,
    onlyWebhook,
  }: { readonly types: readonly string[]; readonly onlyWebhook: string | null },
): Promise<FilterTrial> {
  const { rows } = await sql.query<{ id: string; data: string }>({
    name: 'newest_events_of_types',
    text: NEWEST_EVENTS,
    values: [organizationId, types, onlyWebhook],
  })
  const events: TriedEvent[] = []
  let startedAt = performance.now()
  for (const { id, data } of rows) {
    if (performance.now() - startedAt > SLICE_MS) {
      await setTimeout(0)
      startedAt = performance.now()
    }
    const read = readableData(data)
    const refusedBy = read && explainRefusal(filter, read.value)
    events.push({ uuid: id, matches: refusedBy === null, refusedBy })
  }
  return { events }
}

/** Each type is one range of the index on (organization, type, id). */
const NEWEST_EVENTS = `
  select id, data from (
    select newest.id, newest.data, sum(octet_length(newest.data)) over (order by newest.id desc) as bytes
    from (
      select event.id, event.data from unnest($2::text[]) as subscribed (type), lateral (
        select e.id, e.type, e.data from posthorn.events as e
        where e.organization_id = $1 and e.type = subscribed.type and not e.is_test
          and ($3::uuid is null or exists (
            select from posthorn.deliveries as d where d.event_id = e.id and d.webhook_id = $3))
        order by e.type desc, e.id desc limit ${MAX_TRIED}
      ) as event
      order by event.id desc limit ${MAX_TRIED}
    ) as newest
  ) as summed
  where bytes <= ${MAX_BYTES}
  order by id desc`
