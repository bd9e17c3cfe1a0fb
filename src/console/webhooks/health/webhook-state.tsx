import { StateBadge, WebhookStateBadge } from '../../components/state-badge.tsx'
import type { WebhookRowFragment } from '../../generated/graphql.ts'
import { t } from '../../strings/t.ts'

type WebhookStateProps = Pick<WebhookRowFragment, 'enabled'> &
  Partial<Pick<WebhookRowFragment, 'health'>>

/** The health of a webhook or, for viewers who may not see that, whether it is enabled. */
export function WebhookState({ enabled, health }: WebhookStateProps) {
  if (health) return <WebhookStateBadge state={health.state} />
  return enabled ? (
    <StateBadge label={t('webhooks:states.enabled')} color="blue" />
  ) : (
    <WebhookStateBadge state="DISABLED" />
  )
}
