import { useEffect } from 'react'
import { tellHost } from './host-messages.ts'
import { isFramed } from './portal.ts'

/** How long before its end the host page hears that the session ends. */
const WARN_BEFORE_MS = 120_000

/** Tells the host page in time that the session ends. `expiresAt`: null for a session of the console. */
export function useSessionExpiry(expiresAt: string | null): void {
  useEffect(() => {
    if (!isFramed || expiresAt === null) return
    const waitMs = Math.max(0, Date.parse(expiresAt) - Date.now() - WARN_BEFORE_MS)
    const timer = setTimeout(
      () => tellHost({ type: 'posthorn:session-expiring', expiresAt }),
      waitMs,
    )
    return () => clearTimeout(timer)
  }, [expiresAt])
}
