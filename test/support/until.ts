import { setTimeout as sleep } from 'node:timers/promises'
import { startStopwatch } from './stopwatch.ts'

/**
 * Polls until the condition is truthy. Throws an error with the description after the timeout, which is up to four times as
 * long on a busy machine.
 */
export async function until(
  condition: () => unknown | Promise<unknown>,
  description: string,
  timeoutMs = 15_000,
): Promise<void> {
  const stopwatch = startStopwatch()
  const startedAt = performance.now()
  while (!(await condition())) {
    if (stopwatch.readMs() > timeoutMs)
      throw new Error(`Not within ${timeoutMs} ms: ${description}.`)
    await sleep(intervalMs(performance.now() - startedAt))
  }
}

/** A tenth of the time so far: a short wait ends at once, and a long one leaves the processor to others. */
function intervalMs(elapsedMs: number): number {
  return Math.min(Math.max(elapsedMs / 10, 20), 100)
}
