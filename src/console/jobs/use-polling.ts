import { useEffect } from 'react'

/** Calls `call` every `ms` milliseconds while the page is visible. `call` must be stable (`useCallback`). */
export function usePolling(ms: number, call: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') call()
    }, ms)
    return () => clearInterval(timer)
  }, [ms, call])
}
