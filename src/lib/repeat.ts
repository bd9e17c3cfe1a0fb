import { setTimeout as sleep } from 'node:timers/promises'

/** Runs again and again, with a pause in between. Disposing of it waits for the end of the last run. */
export function repeat(
  pauseMs: number,
  run: () => Promise<void>,
  onError: (error: unknown) => void,
): AsyncDisposable {
  const closed = new AbortController()
  const { signal } = closed

  async function runRepeatedly(): Promise<void> {
    while (!signal.aborted) {
      await run().catch(onError)
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  const running = runRepeatedly()
  return {
    async [Symbol.asyncDispose]() {
      closed.abort()
      await running
    },
  }
}
