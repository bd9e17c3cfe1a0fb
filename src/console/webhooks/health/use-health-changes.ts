import { useThrottledCallback } from '@mantine/hooks'
import { useEffect } from 'react'
import { useLive } from '../../api/use-live.ts'
import { WebhookHealthChangesDocument } from '../../generated/graphql.ts'

const MIN_INTERVAL_MS = 1_000
/** Rates and the time of the last success change without a live event. */
const REFRESH_EVERY_MS = 30_000

/** Reloads when the health of a webhook changes (without an id: of any webhook), and every 30 seconds. */
export function useHealthChanges(webhookId: string | undefined, reload: () => void): void {
  const refresh = useThrottledCallback(reload, MIN_INTERVAL_MS)
  useLive(WebhookHealthChangesDocument, { webhookId }, { onData: refresh, onMissed: refresh })
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') refresh()
    }, REFRESH_EVERY_MS)
    return () => clearInterval(timer)
  }, [refresh])
}
