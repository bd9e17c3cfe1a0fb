import { performance } from 'node:perf_hooks'

/** A deadline for an answer from outside this process. */
interface Deadline {
  cancel(): void
}

/** A thread that stands still this often in a row is late with everything. */
const MAX_EXTENSIONS = 3

/**
 * Calls `onPassed` after this time. If this thread was busy for most of it, the answer may have arrived unread, so the
 * time begins again.
 */
export function startDeadline(timeoutMs: number, onPassed: () => void): Deadline {
  let timer = start(MAX_EXTENSIONS)

  function start(extensions: number): NodeJS.Timeout {
    const since = performance.eventLoopUtilization()
    return setTimeout(() => {
      const wasBusy = performance.eventLoopUtilization(since).utilization > 0.5
      if (wasBusy && extensions > 0) timer = start(extensions - 1)
      else onPassed()
    }, timeoutMs)
  }

  return { cancel: () => clearTimeout(timer) }
}
