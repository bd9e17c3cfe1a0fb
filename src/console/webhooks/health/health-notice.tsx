import { Notice } from '../../components/page/notice.tsx'
import type { WebhookTroubleFragment } from '../../generated/graphql.ts'
import { TroubleActions } from './trouble-actions.tsx'
import { TroubleText } from './trouble-text.tsx'

interface HealthNoticeProps {
  readonly webhook: WebhookTroubleFragment
  reload(): void
}

const COLORS = { ON_HOLD: 'red', FAILING: 'orange', DISABLED: 'gray' } as const

/** Says why a webhook is in trouble, and what to do. Empty for the others. */
export function HealthNotice({ webhook, reload }: HealthNoticeProps) {
  const state = webhook.health?.state
  if (state !== 'ON_HOLD' && state !== 'FAILING' && state !== 'DISABLED') return null
  return (
    <Notice
      color={COLORS[state]}
      title={TITLES[state]}
      action={<TroubleActions webhook={webhook} reload={reload} />}
    >
      <TroubleText webhook={webhook} />
      {webhook.health?.onHoldReason === 'RETRY_AFTER'
        ? 'The endpoint asked to wait: it answered 429 or 503 with Retry-After. Deliveries wait, and the first successful probe ends the hold.'
        : HINTS[state]}
    </Notice>
  )
}

const TITLES = {
  FAILING: 'Failing',
  ON_HOLD: 'On hold',
  DISABLED: 'Disabled',
}

const HINTS = {
  ON_HOLD: 'Deliveries wait and use no attempts. The first successful probe ends the hold.',
  FAILING: 'Failed deliveries are retried by the retry schedule.',
  DISABLED:
    'Unfinished deliveries wait, and new events create no deliveries. Once the webhook is enabled, you can recover the events that the webhook missed.',
}
