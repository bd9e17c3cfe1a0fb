import { shutdownRequested } from '../shutdown-signals.ts'

export interface StopRequest {
  readonly requested: Promise<void>
  now(): void
}

/**
 * Resolves `requested` when the process must stop: after a signal, after the reader of stdout closes the pipe, after
 * npm, which started the process, has ended, or after a call of `now`. A second signal ends the process immediately.
 */
export function stopRequest(): StopRequest {
  const { promise, resolve } = Promise.withResolvers<void>()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  void shutdownRequested(() => process.exit(130), signals).then(() => resolve())
  // A broken stream may emit more errors while the receiver closes.
  process.stdout.on('error', () => resolve())
  process.stderr.on('error', () => {})
  return { requested: promise, now: resolve }
}
