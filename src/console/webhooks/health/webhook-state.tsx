import { Text } from '@mantine/core'
import { StateBadge, WebhookStateBadge } from '../../components/state-badge.tsx'
import type { WebhookRowFragment } from '../../generated/graphql.ts'
import { t } from '../../strings/t.ts'

type WebhookStateProps = Pick<WebhookRowFragment, 'enabled'> &
  Partial<Pick<WebhookRowFragment, 'health' | 'forwardedUntil'>>

/** The health of a webhook, and whether it is temporary. */
export function WebhookState({ forwardedUntil, ...webhook }: WebhookStateProps) {
  return (
    <>
      <Health {...webhook} />
      {forwardedUntil && (
        <Text span size="xs" c="dimmed" ms={8} title={t('webhooks:temporary.text')}>
          {t('webhooks:temporary.title')}
        </Text>
      )}
    </>
  )
}

/** For viewers who may not see the health, whether the webhook is enabled. */
function Health({ enabled, health }: Omit<WebhookStateProps, 'forwardedUntil'>) {
  if (health) return <WebhookStateBadge state={health.state} />
  return enabled ? (
    <StateBadge label={t('webhooks:states.enabled')} color="blue" />
  ) : (
    <WebhookStateBadge state="DISABLED" />
  )
}
