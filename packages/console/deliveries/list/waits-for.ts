import type { DeliveryRowFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatCount } from '../../lib/format.ts'

type Parked = Pick<DeliveryRowFragment, 'parkedReason'> & {
  readonly webhook?: {
    readonly rateLimitPerSecond?: number | null
    readonly health?: { readonly state: string } | null
  } | null
}

/** What a waiting delivery waits for, in a few words. */
export function waitsFor({ parkedReason, webhook }: Parked): string {
  // A delivery that was parked before the hold has another reason, and waits for the hold too.
  switch (webhook?.health?.state === 'ON_HOLD' ? 'ON_HOLD' : parkedReason) {
    case 'DISABLED':
      return t('Disabled')
    case 'ON_HOLD':
      return t('On hold')
    case 'ORDERED':
      return t('In order, after an earlier one')
    case 'RATE_LIMIT':
      return webhook?.rateLimitPerSecond == null
        ? t('Rate limit')
        : t('Rate limit {count}/s', { count: formatCount(webhook.rateLimitPerSecond) })
    case 'CONCURRENCY_LIMIT':
      return t('Concurrency limit')
    default:
      return t('In the backlog')
  }
}
