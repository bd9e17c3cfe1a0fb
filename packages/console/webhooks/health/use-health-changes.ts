import { useThrottledCallback } from '@mantine/hooks'
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

/** Calls `onActivity` while attempts are made for a webhook, or for any, but not more often than `everyMs`. */
export function useActivity(webhookId: string | null, onActivity: () => void, everyMs = 5_000) {
  const refresh = useThrottledCallback(onActivity, everyMs)
  return useLive(
    DeliveriesAttemptRecordedDocument,
    { webhookId },
    { onData: refresh, onMissed: refresh },
  )
}
