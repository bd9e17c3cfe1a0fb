import type { WorkerEvents } from 'graphile-worker'

/** What graphile-worker keeps of the announcements since its last fetch began, in fields that it calls private. */
interface Announced {
  readonly refetchDelayCounter: number
  /** With so many of them, it fetches without keeping its distance. */
  refetchDelayAbortThreshold: number
}

/** Where the last fetch but one ended longer ago, so few are made that one more at once costs nothing. */
export const REST_MS = 4

/**
 * graphile-worker keeps a distance between two fetches, and does not come back to what was announced in between: it
 * would wait for another announcement, or for the next poll. So it is told once more when the distance is over. After a
 * rest it keeps none: a job that is announced while another one is fetched would wait twice as long as it takes.
 */
export function fetchWhatWasAnnounced(
  events: WorkerEvents,
  now: () => number = () => performance.now(),
): void {
  let lastAt = Number.NEGATIVE_INFINITY
  events.on('localQueue:refetchDelay:start', ({ localQueue }) => {
    const before = lastAt
    lastAt = now()
    if (lastAt - before > REST_MS)
      (localQueue as unknown as Announced).refetchDelayAbortThreshold = 1
  })
  events.on('localQueue:refetchDelay:expired', ({ localQueue }) => {
    const { refetchDelayCounter } = localQueue as unknown as Announced
    if (refetchDelayCounter > 0) localQueue.pulse(0)
  })
}
