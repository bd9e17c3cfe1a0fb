import { StateBadge, WebhookStateBadge } from '../../components/state-badge.tsx'
import type { WebhookRowFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'

interface WebhookStateProps extends Pick<WebhookRowFragment, 'enabled'> {
  readonly health?: Pick<NonNullable<WebhookRowFragment['health']>, 'state'> | null | undefined
}

/** The health of a webhook. For viewers who may not see the health, whether the webhook is enabled. */
export function WebhookState({ enabled, health }: WebhookStateProps) {
  if (health) return <WebhookStateBadge state={health.state} />
  return enabled ? (
    <StateBadge label={t('Enabled')} color="blue" />
  ) : (
    <WebhookStateBadge state="DISABLED" />
  )
}
