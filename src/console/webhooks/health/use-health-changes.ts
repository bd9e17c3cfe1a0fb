import { useThrottledCallback } from '@mantine/hooks'
import { useEffect } from 'react'
import { useLive } from '../../api/use-live.ts'
import { WebhookHealthChangesDocument } from '../../generated/graphql.ts'

const AT_MOST_EVERY_MS = 1_000
/** Rates and times of the last success change without the health changing. */
const REFRESH_EVERY_MS = 30_000

/** Asks again when the health of a webhook changes (undefined: of any), and from time to time. */
export function useHealthChanges(webhookId: string | undefined, reload: () => void): void {
  const ask = useThrottledCallback(reload, AT_MOST_EVERY_MS)
  useLive(WebhookHealthChangesDocument, { webhookId }, { onData: ask, onReconnect: ask })
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') ask()
    }, REFRESH_EVERY_MS)
    return () => clearInterval(timer)
  }, [ask])
}
