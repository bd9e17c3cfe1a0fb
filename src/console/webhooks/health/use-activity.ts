import { useEffect, useRef } from 'react'
import { useLive } from '../../api/use-live.ts'
import { DeliveriesAttemptMadeDocument } from '../../generated/graphql.ts'

const AT_MOST_EVERY_MS = 5_000

/** Calls back when attempts were made for a webhook, however many, once in a while. */
export function useActivity(webhookId: string, onActivity: () => void): void {
  const happened = useRef(false)
  const note = () => {
    happened.current = true
  }
  useLive(DeliveriesAttemptMadeDocument, { webhookId }, { onData: note, onReconnect: note })
  useEffect(() => {
    const timer = setInterval(() => {
      if (!happened.current || document.visibilityState === 'hidden') return
      happened.current = false
      onActivity()
    }, AT_MOST_EVERY_MS)
    return () => clearInterval(timer)
  }, [onActivity])
}
