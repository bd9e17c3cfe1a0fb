import { Notice } from '../../components/page/notice.tsx'
import type { WebhookTroubleFragment } from '../../generated/graphql.ts'
import { TroubleActions } from './trouble-actions.tsx'
import { TroubleText } from './trouble-text.tsx'

interface HealthNoticeProps {
  readonly webhook: WebhookTroubleFragment
  reload(): void
}

/** Says why a webhook is in trouble, and what to do. Empty for the others. */
export function HealthNotice({ webhook, reload }: HealthNoticeProps) {
  const state = webhook.health?.state
  if (state !== 'ON_HOLD' && state !== 'FAILING' && state !== 'DISABLED') return null
  const { color, title, hint } = TROUBLE[state]
  return (
    <Notice
      color={color}
      title={title}
      action={<TroubleActions webhook={webhook} reload={reload} />}
    >
      <TroubleText webhook={webhook} />
      {webhook.health?.onHoldReason === 'RETRY_AFTER'
        ? 'The endpoint asked to wait: it answered 429 or 503 with Retry-After. Deliveries wait, and the first successful probe ends the hold.'
        : hint}
    </Notice>
  )
}

const TROUBLE = {
  ON_HOLD: {
    color: 'red',
    title: 'On hold',
    hint: 'Deliveries wait and use no attempts. The first successful probe ends the hold.',
  },
  FAILING: {
    color: 'orange',
    title: 'Failing',
    hint: 'Failed deliveries are retried by the retry schedule.',
  },
  DISABLED: {
    color: 'gray',
    title: 'Disabled',
    hint: 'Unfinished deliveries wait, and new events create no deliveries. Once the webhook is enabled, you can recover the events that the webhook missed.',
  },
} as const
