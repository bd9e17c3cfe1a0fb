import { type EventLoopUtilization, performance } from 'node:perf_hooks'

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
  let extensions = 0
  let timer = start()

  function start(): NodeJS.Timeout {
    const since = markBusyTime()
    return setTimeout(() => {
      extensions += 1
      if (extensions <= MAX_EXTENSIONS && wasBusySince(since)) timer = start()
      else onPassed()
    }, timeoutMs)
  }

  return { cancel: () => clearTimeout(timer) }
}

function markBusyTime(): EventLoopUtilization {
  return performance.eventLoopUtilization()
}

/** Whether this thread ran code for more than half of the time, so that it could not read what arrived. */
function wasBusySince(mark: EventLoopUtilization): boolean {
  return performance.eventLoopUtilization(mark).utilization > 0.5
}
