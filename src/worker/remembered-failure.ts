import type { WorkerLog } from './worker-log.ts'

/**
 * graphile-worker asks once for the ids of its tasks, before its first fetch, and keeps what came of it for as long as
 * the runner lives: where that broke off, each later fetch fails at once with the very same error. Only its log tells.
 */
export function noticeRememberedFailure(log: WorkerLog, onRemembered: () => void): WorkerLog {
  const seen = new WeakSet<object>()
  return (level, message, meta) => {
    log(level, message, meta)
    const error = meta?.['error']
    if (!/fetching jobs/.test(message) || !(error instanceof Error)) return
    if (seen.has(error)) onRemembered()
    seen.add(error)
  }
}
