import { onParentExit } from '../parent-exit.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** npm forwards Ctrl+C to its child, which already got it from the terminal; both signals are one request. */
const REPEAT_MS = 1_000

/**
 * Resolves `requested` when the process must stop: after a signal, after the reader of stdout closes the pipe, after
 * npm, which started the process, has ended, or after a call of `now`. A second signal more than a second later ends the process immediately.
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
  // `dispose` keeps these: a broken stream may emit more errors while the receiver closes.
  process.stdout.on('error', now)
  process.stderr.on('error', () => {})
  onParentExit(now)
  return { requested, now, dispose }
}
