import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

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

/**
 * For upper bounds. A bound is a promise of Posthorn, and a machine with more work than processors delays any program. So on
 * a free machine the bound holds exactly, and on a busy one it is up to four times as long.
 */
function startStopwatch() {
  const startedAt = performance.now()
  const waitedBefore = waitedMs()
  return {
    /** The time since the start, less the time in which programs waited for a processor, but at least a quarter of it. */
    readMs(): number {
      const elapsedMs = performance.now() - startedAt
      return Math.max(elapsedMs - (waitedMs() - waitedBefore), elapsedMs / 4)
    },
  }
}

/** How long, since the machine started, at least one program waited for a processor. Zero where the system does not say. */
function waitedMs(): number {
  try {
    const text = readFileSync('/proc/pressure/cpu', 'utf8')
    return Number(/^some .*total=(\d+)/m.exec(text)?.[1] ?? 0) / 1_000
  } catch {
    return 0
  }
}
