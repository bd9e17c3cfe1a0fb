import { setTimeout } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import { explainRefusal } from '../filters/explain-refusal.ts'
import type { Filter } from '../filters/filter.ts'
import { readableEvent } from '../filters/readable-data.ts'
import { findNewestEvents } from './find-newest-events.ts'

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

/** Events that a trial reads, and the bytes of their data and previous data. */
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
  const rows = await findNewestEvents(sql, organizationId, {
    types,
    onlyWebhook,
    max: MAX_TRIED,
    maxBytes: MAX_BYTES,
  })
  const events: TriedEvent[] = []
  let startedAt = performance.now()
  for (const { id, data, previous } of rows) {
    if (performance.now() - startedAt > SLICE_MS) {
      await setTimeout(0)
      startedAt = performance.now()
    }
    const read = readableEvent(data, previous)
    const refusedBy = read && explainRefusal(filter, read)
    events.push({ uuid: id, matches: refusedBy === null, refusedBy })
  }
  return { events }
}
