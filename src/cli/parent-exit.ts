const CHECK_INTERVAL_MS = 500

/**
 * Calls `onExit` when the parent process has ended, if npm started this process: npm passes SIGTERM only to the shell
 * between them, which ends without passing it on. Other parents, such as `nohup` in a shell, may end on purpose.
 */
export function onParentExit(onExit: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onExit()
  }, CHECK_INTERVAL_MS)
  timer.unref()
}
