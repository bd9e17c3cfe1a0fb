import type { EventRow, QueuedDelivery } from '../../events/store-events.ts'
import { LruMap } from '../../lib/lru-map.ts'
import {
  type LoadedDelivery,
  MAX_AGE_WITHOUT_RELOAD_MS,
  MAX_BYTES_WITH_DELIVERY,
} from './load-delivery.ts'

export type QueuedDeliveries = ReturnType<typeof createQueuedDeliveries>

interface Entry {
  readonly event: EventRow
  readonly delivery: QueuedDelivery
  readonly readAt: number
}

const MAX_ENTRIES = 4_000
const MAX_CHARACTERS = 4 * 1024 * 1024

/** The deliveries that this process has just queued, so that their first attempts need not load them. */
export function createQueuedDeliveries() {
  const entries = new LruMap<string, Entry>({
    maxEntries: MAX_ENTRIES,
    weight: { max: MAX_CHARACTERS, of: ({ event }) => charactersOf(event) },
    maxAgeMs: 1_000,
  })
  return {
    add(event: EventRow, delivery: QueuedDelivery, readAt: number): void {
      entries.set(delivery.id, { event, delivery, readAt })
    },
    /** Returns a delivery once, and only while it counts as fresh. */
    take(uuid: string): LoadedDelivery | null {
      const entry = entries.get(uuid)
      if (!entry) return null
      entries.delete(uuid)
      const ageMs = performance.now() - entry.readAt
      return ageMs <= MAX_AGE_WITHOUT_RELOAD_MS ? toLoaded(entry, ageMs) : null
    },
  }
}

function charactersOf({ data, previous }: EventRow): number {
  return data.length + (previous?.length ?? 0)
}

/** Null if it is large. It is as its creation left it: an ordered one, or one that waits for its webhook, has no job yet. */
function toLoaded({ event, delivery }: Entry, ageMs: number): LoadedDelivery | null {
  const previous = delivery.bodyId === null ? null : event.previous
  const dataBytes = Buffer.byteLength(event.data) + Buffer.byteLength(previous ?? '')
  if (dataBytes > MAX_BYTES_WITH_DELIVERY) return null
  return {
    ...delivery,
    organizationId: event.organizationId,
    eventType: event.type,
    occurredAt: event.occurredAt,
    data: event.data,
    previous,
    dataBytes,
    traceParent: event.traceParent,
    traceState: event.traceState,
    state: 'pending',
    attemptCount: 0,
    schedulePosition: 0,
    workerDeaths: 0,
    webhook: 'enabled',
    isTest: false,
    sendsOnce: false,
    holdReason: null,
    isProbe: false,
    isHead: false,
    reservedInMs: null,
    ageMs,
  }
}
