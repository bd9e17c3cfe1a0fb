import type { WorkerEvents } from 'graphile-worker'

/** What graphile-worker keeps of the announcements since its last fetch began, in a field that it calls private. */
interface Announced {
  readonly refetchDelayCounter: number
}

/**
 * graphile-worker keeps a distance between two fetches, and does not come back to what was announced in between: it
 * would wait for another announcement, or for the next poll. So it is told once more when the distance is over.
 */
export function fetchWhatWasAnnounced(events: WorkerEvents): void {
  events.on('localQueue:refetchDelay:expired', ({ localQueue }) => {
    const { refetchDelayCounter } = localQueue as unknown as Announced
    if (refetchDelayCounter > 0) localQueue.pulse(0)
  })
}
