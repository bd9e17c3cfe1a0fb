import { setTimeout as sleep } from 'node:timers/promises'
import { unavailabilityOf } from '../../db/faults.ts'

const MAX_PAUSE_MS = 1_000

/**
 * Runs pages of a maintenance, and rests after each as long as it took, so that others use the database as much. Ends with the
 * last page (null), after `maxMs`, or if others hold locks: the next maintenance goes on. Returns the sum of the pages.
 */
export async function restBetweenPages(
  runPage: () => Promise<number | null>,
  maxMs: number,
  signal?: AbortSignal,
): Promise<number> {
  const endsAtMs = performance.now() + maxMs
  let sum = 0
  while (performance.now() < endsAtMs && !signal?.aborted) {
    const startedAtMs = performance.now()
    const page = await runPage().catch((error: unknown) => {
      if (unavailabilityOf(error) === 'contention') return null
      throw error
    })
    if (page === null) break
    sum += page
    await sleep(Math.min(performance.now() - startedAtMs, MAX_PAUSE_MS))
  }
  return sum
}
