import type { DeliveryBasicsFragment } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { formatCount } from '../lib/format.ts'

type Parked = Pick<DeliveryBasicsFragment, 'parkedReason' | 'webhook'>

interface WaitsFor {
  /** In a few words. */
  readonly what: string
  /** In sentences. Null if the words say all. */
  readonly why: string | null
  /** When the endpoint is tested next, if the webhook is on hold. */
  readonly probeAt: string | null
}

/** What a delivery in the backlog of its webhook waits for. */
export function waitsFor({ parkedReason, webhook }: Parked): WaitsFor {
  const { state, lastError, onHoldReason, nextProbeAt } = webhook?.health ?? {}
  // A delivery that was parked before the hold has another reason, and waits for the hold too.
  if (state === 'ON_HOLD' || parkedReason === 'ON_HOLD') {
    const why = onHoldReason === 'RETRY_AFTER' ? ASKED_TO_WAIT : KEEPS_FAILING
    return {
      what: t('On hold'),
      why: lastError ? `${lastError}. ${why}` : why,
      probeAt: nextProbeAt ?? null,
    }
  }
  const [what, why = null] = reasonOf(parkedReason, webhook?.rateLimitPerSecond)
  return { what, why, probeAt: null }
}

const ASKED_TO_WAIT =
  'The endpoint asked to wait: it answered 429 or 503 with Retry-After. After that time, the backlog is released. Waiting uses no attempts.'
const KEEPS_FAILING =
  'The endpoint keeps failing, so deliveries wait. Probes test the endpoint every few minutes; the first success releases the backlog. Waiting uses no attempts.'

function reasonOf(
  reason: Parked['parkedReason'],
  perSecond: number | null | undefined,
): [what: string, why?: string] {
  switch (reason) {
    case 'DISABLED':
      return [
        t('Disabled'),
        t('The delivery is sent once the webhook is enabled. Waiting uses no attempts.'),
      ]
    case 'ORDERED':
      return [
        t('In order, after an earlier one'),
        'This webhook receives deliveries in the order of their events. Earlier deliveries must succeed or be exhausted first.',
      ]
    case 'RATE_LIMIT':
      return perSecond == null
        ? [t('Rate limit')]
        : [t('Rate limit {count}/s', { count: formatCount(perSecond) })]
    case 'CONCURRENCY_LIMIT':
      return [
        t('Concurrency limit'),
        'The webhook has as many parallel requests as its limit allows. The delivery is sent as they end.',
      ]
    default:
      return [t('In the backlog')]
  }
}
