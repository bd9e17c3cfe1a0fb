import { useEffect, useEffectEvent } from 'react'

/** Calls `call` every `ms` milliseconds while the page is visible. Null: never. */
export function usePolling(ms: number | null, call: () => void): void {
  const tick = useEffectEvent(() => {
    if (!document.hidden) call()
  })
  useEffect(() => {
    if (ms === null) return
    const timer = setInterval(() => tick(), ms)
    return () => clearInterval(timer)
  }, [ms])
}
