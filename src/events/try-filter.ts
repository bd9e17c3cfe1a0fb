import type { Sql } from '../db/client.ts'
import { explainRefusals } from '../filters/decide.ts'
import type { Filter } from '../filters/filter.ts'
import { findNewestEvents } from './find-newest-events.ts'

export interface TriedEvent {
  readonly uuid: string
  readonly matches: boolean
  /** Null if the event matches. */
  readonly refusedBy: string | null
}

/** Events that a trial reads, and the bytes of their data and previous data. */
export const MAX_TRIED = 100
const MAX_BYTES = 2 * 1024 * 1024

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
): Promise<TriedEvent[]> {
  const rows = await findNewestEvents(sql, organizationId, {
    types,
    onlyWebhook,
    max: MAX_TRIED,
    maxBytes: MAX_BYTES,
  })
  const refusals = await explainRefusals(sql, filter, rows)
  return rows.map((event) => {
    const refusedBy = refusals.get(event) ?? null
    return { uuid: event.id, matches: refusedBy === null, refusedBy }
  })
}
