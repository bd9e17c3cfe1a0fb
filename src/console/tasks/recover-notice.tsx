import { Notice } from '../components/page/notice.tsx'
import type { WebhookTroubleFragment } from '../generated/graphql.ts'
import { t } from '../strings/t.ts'
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
      title={t(`webhooks:recoverNotice.title.${state}`)}
      action={<TroubleActions webhook={webhook} reload={reload} withEnable recovering />}
    >
      {state === 'ON_HOLD' && <TroubleText webhook={webhook} />}
      {t(`webhooks:recoverNotice.hint.${state}`)}
    </Notice>
  )
}
