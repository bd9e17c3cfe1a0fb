import { useEffect, useRef } from 'react'
import { resumeAfterAttempt } from '../../api/resume-point.ts'
import { useLive } from '../../api/use-live.ts'
import { DeliveriesAttemptRecordedDocument } from '../../generated/graphql.ts'

const MIN_INTERVAL_MS = 5_000

/** Calls `onActivity` at most every 5 seconds while attempts are made for a webhook. */
export function useActivity(webhookId: string, onActivity: () => void): void {
  const pending = useRef(false)
  const markPending = () => {
    pending.current = true
  }
  useLive(
    DeliveriesAttemptRecordedDocument,
    { webhookId },
    { onData: markPending, itemOf: resumeAfterAttempt, onMissed: markPending },
  )
  useEffect(() => {
    const timer = setInterval(() => {
      if (!pending.current || document.visibilityState === 'hidden') return
      pending.current = false
      onActivity()
    }, MIN_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [onActivity])
}
