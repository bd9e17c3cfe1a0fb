const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 15_000

/** Waits longer after each failure. The wait ends early if the browser is online again, or if the signal aborts. */
export function waitToReconnect(failures: number, signal: AbortSignal): Promise<void> {
  const longest = Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS)
  // Pages that lost the same server come back at different times.
  const ms = longest * (0.5 + Math.random() / 2)
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms)
    window.addEventListener('online', end)
    signal.addEventListener('abort', end)
    function end() {
      clearTimeout(timer)
      window.removeEventListener('online', end)
      signal.removeEventListener('abort', end)
      resolve()
    }
  })
}
