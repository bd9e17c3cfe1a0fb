import type { EventRow, QueuedDelivery } from '../../events/store-events.ts'
import { LruMap } from '../../lib/lru-map.ts'
import { type LoadedDelivery, MAX_AGE_MS, MAX_BYTES_WITH_DELIVERY } from './load-delivery.ts'

/** The deliveries that this process has just queued, so that their first attempts need not load them. */
export function createQueuedDeliveries() {
  const deliveries = new LruMap<string, LoadedDelivery>({ maxEntries: 1_000, maxAgeMs: 1_000 })
  return {
    add(event: EventRow, queued: QueuedDelivery, readAt: number): void {
      const { organizationId, type: eventType, occurredAt, data, traceParent, traceState } = event
      const previous = queued.bodyId === null ? null : event.previous
      const dataBytes = Buffer.byteLength(data) + Buffer.byteLength(previous ?? '')
      if (dataBytes > MAX_BYTES_WITH_DELIVERY) return
      const ofEvent = { organizationId, eventType, occurredAt, data, traceParent, traceState }
      deliveries.set(queued.id, { ...NEW, ...queued, ...ofEvent, previous, dataBytes, readAt })
    },
    /** Returns a delivery once, and only while it is as fresh as a loaded one. */
    take(uuid: string): LoadedDelivery | null {
      const delivery = deliveries.get(uuid)
      deliveries.delete(uuid)
      return delivery && performance.now() - delivery.readAt <= MAX_AGE_MS ? delivery : null
    },
  }
}

/** No delivery of an ordered webhook, or of one on hold, has a job at once. */
const NEW = {
  ...({ state: 'pending', attemptCount: 0, schedulePosition: 0, workerDeaths: 0 } as const),
  ...({ webhook: 'enabled', isTest: false, sendsOnce: false, holdReason: null } as const),
  ...{ isProbe: false, isHead: false, reservedInMs: null },
}
