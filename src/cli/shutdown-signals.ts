/** Signals shortly after the first are the same request: the terminal sends Ctrl+C to npm and to this process, and npm forwards it. */
const SAME_SIGNAL_WITHIN_MS = 1_000

/**
 * Resolves with the first signal, or when npm, which started this process, has ended. A second signal calls `abort`, a
 * third one ends the process immediately.
 */
export function shutdownRequested(
  abort: () => void,
  signals: readonly NodeJS.Signals[] = defaultSignals(),
): Promise<string> {
  return new Promise((resolve) => {
    const steps = [resolve, abort, () => process.exit(130)]
    let ignoreUntilMs = 0
    for (const signal of signals) {
      process.on(signal, () => {
        if (performance.now() < ignoreUntilMs) return
        ignoreUntilMs = performance.now() + SAME_SIGNAL_WITHIN_MS
        steps.shift()?.(signal)
      })
    }
    onParentExit(() => resolve('npm has ended'))
  })
}

/** A closed terminal sends SIGHUP. `nohup`, which redirects the output, makes a process ignore it. */
function defaultSignals(): readonly NodeJS.Signals[] {
  return process.stderr.isTTY ? ['SIGINT', 'SIGTERM', 'SIGHUP'] : ['SIGINT', 'SIGTERM']
}

const CHECK_PARENT_MS = 500

/**
 * Calls `onExit` when the parent process has ended, if npm started this process: npm passes SIGTERM only to the shell
 * between them, which ends without passing it on. Other parents, such as `nohup` in a shell, may end on purpose.
 */
function onParentExit(onExit: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onExit()
  }, CHECK_PARENT_MS)
  timer.unref()
}
