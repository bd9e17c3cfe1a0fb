import { Notice } from '../components/page/notice.tsx'
import type { WebhookTroubleFragment } from '../generated/graphql.ts'
import { TroubleActions } from '../webhooks/health/trouble-actions.tsx'
import { TroubleText } from '../webhooks/health/trouble-text.tsx'

interface RecoverNoticeProps {
  readonly webhook: WebhookTroubleFragment
  reload(): void
}

/** Says why re-sent deliveries would wait, with the remedy. Empty for a webhook that sends. */
export function RecoverNotice({ webhook, reload }: RecoverNoticeProps) {
  const state = webhook.health?.state
  if (state !== 'ON_HOLD' && state !== 'DISABLED') return null
  return (
    <Notice
      color={state === 'ON_HOLD' ? 'red' : 'gray'}
      title={TITLES[state]}
      action={<TroubleActions webhook={webhook} reload={reload} withEnable recovering />}
    >
      {state === 'ON_HOLD' && <TroubleText webhook={webhook} />}
      {HINTS[state]}
    </Notice>
  )
}

const TITLES = {
  ON_HOLD: 'On hold: re-sent deliveries wait',
  DISABLED: 'Disabled: enable the webhook to re-send deliveries',
}

const HINTS = {
  ON_HOLD: 'Re-sent deliveries join the backlog. Resume when the endpoint works again.',
  DISABLED: 'You can preview how many deliveries would be re-sent.',
}
