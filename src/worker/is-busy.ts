import { performance } from 'node:perf_hooks'

/** The share of the last moment in which this thread was at work; above it there is no time left to speak of. */
const BUSY = 0.9

/** How long that moment is, at least: since the look before. */
const LOOK_EVERY_MS = 100

/** Answers whether the thread that runs this has no time left for more. */
export function createIsBusy(): () => boolean {
  let before = performance.eventLoopUtilization()
  let lookedAt = performance.now()
  let isBusy = false
  return () => {
    const now = performance.now()
    if (now - lookedAt < LOOK_EVERY_MS) return isBusy
    const current = performance.eventLoopUtilization()
    isBusy = performance.eventLoopUtilization(current, before).utilization > BUSY
    before = current
    lookedAt = now
    return isBusy
  }
}
