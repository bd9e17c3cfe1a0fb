import { Notice } from '../../components/page/notice.tsx'
import type { WebhookTroubleFragment } from '../../generated/graphql.ts'
import { t } from '../../strings/t.ts'
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
      title={t(`webhooks:states.${state}`)}
      action={<TroubleActions webhook={webhook} reload={reload} />}
    >
      <TroubleText webhook={webhook} />
      {webhook.health?.onHoldReason === 'RETRY_AFTER'
        ? t('webhooks:trouble.askedToWaitHint')
        : HINTS[state]}
    </Notice>
  )
}

const HINTS = {
  ON_HOLD: t('webhooks:trouble.onHoldHint'),
  FAILING: t('webhooks:trouble.failingHint'),
  DISABLED: t('webhooks:trouble.disabledHint'),
}
