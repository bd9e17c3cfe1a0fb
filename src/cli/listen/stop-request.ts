const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** npm passes on the Ctrl+C that the terminal has sent to its child already: that is one request, not two. */
const REPEAT_MS = 1_000

/**
 * Resolves `requested` once someone asks the process to stop: by a signal, by closing the pipe that stdout goes
 * to, or by calling `now`. Who asks by signal again, a second later, does not want to wait: the process ends at once.
 */
export function stopRequest(): {
  readonly requested: Promise<void>
  now(): void
  dispose(): void
} {
  let now = () => {}
  const requested = new Promise<void>((resolve) => {
    now = resolve
  })
  let firstSignalAt: number | undefined
  function onSignal(signal: NodeJS.Signals) {
    now()
    firstSignalAt ??= performance.now()
    if (performance.now() - firstSignalAt < REPEAT_MS) return
    dispose()
    process.kill(process.pid, signal)
  }
  function dispose() {
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  // Left in place: a stream that is broken may say so again while the receiver is closing.
  process.stdout.on('error', now)
  process.stderr.on('error', () => {})
  return { requested, now, dispose }
}
