import { shutdownRequested } from '../shutdown-signals.ts'

/** Writes to stderr: stdout only contains deliveries. */
export function log(message: string): void {
  process.stderr.write(`${escapeControls(message)}\n`)
}

/**
 * Makes untrusted text safe to print on one line of a terminal. Control characters could move the cursor, set the
 * title or forge a line, and others change the direction of text; they become escapes such as `\u001b`. The meaning
 * of JSON does not change.
 */
export function escapeControls(text: string): string {
  return text.replace(UNSAFE, (unsafe) => {
    return `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/**
 * Resolves `requested` when the process must stop: after a signal, after the reader of stdout closes the pipe, after
 * npm, which started the process, has ended, or after a call of `now`. A second signal ends the process immediately.
 */
export function stopRequest() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  void shutdownRequested(() => process.exit(130), signals).then(() => resolve())
  // A broken stream may emit more errors while the receiver closes.
  process.stdout.on('error', () => resolve())
  process.stderr.on('error', () => {})
  return { requested: promise, now: resolve }
}
