import { formatCount } from '../format.ts'
import { t } from '../strings/t.ts'

/** Says how many attempts arrive, and what part of them is shown. */
export function tailSentence({ received, shown }: { received: number; shown: number }): string {
  if (received === 0) return t('live:waiting')
  if (shown < received * 0.95 && received > 80) {
    return t('live:sample', { shown: formatCount(shown), received: formatCount(received) })
  }
  return t('live:rate', { count: received, received: formatCount(received) })
}
