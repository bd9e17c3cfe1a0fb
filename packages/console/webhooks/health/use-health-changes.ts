import { useThrottledCallback } from '@mantine/hooks'
import { useRef } from 'react'
import { useLive } from '../../api/use-live.ts'
import { usePolling } from '../../api/use-polling.ts'
import {
  DeliveriesAttemptRecordedDocument,
  WebhookHealthChangesDocument,
} from '../../generated/graphql.ts'

/** Rates and the time of the last success change without a live event. */
const REFRESH_EVERY_MS = 30_000

/** Reloads when the health of a webhook changes (without an id: of any webhook), and every 30 seconds. */
export function useHealthChanges(webhookId: string | undefined, reload: () => void): void {
  const refresh = useThrottledCallback(reload, 1_000)
  useLive(WebhookHealthChangesDocument, { webhookId }, { onData: refresh, onMissed: refresh })
  usePolling(REFRESH_EVERY_MS, refresh)
}

/** Calls `onActivity` at most every 5 seconds while attempts are made for a webhook, or for any. */
export function useActivity(webhookId: string | null, onActivity: () => void) {
  const pending = useRef(false)
  const markPending = () => {
    pending.current = true
  }
  const state = useLive(
    DeliveriesAttemptRecordedDocument,
    { webhookId },
    { onData: markPending, onMissed: markPending },
  )
  usePolling(5_000, () => {
    if (!pending.current) return
    pending.current = false
    onActivity()
  })
  return state
}
