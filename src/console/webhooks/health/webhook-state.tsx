import { Text } from '@mantine/core'
import { StateBadge, WebhookStateBadge } from '../../components/state-badge.tsx'
import type { WebhookRowFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'

interface WebhookStateProps extends Pick<WebhookRowFragment, 'enabled'> {
  readonly health?: Pick<NonNullable<WebhookRowFragment['health']>, 'state'> | null | undefined
  readonly forwardedUntil?: string | null | undefined
}

/** The health of a webhook, and whether it is temporary. */
export function WebhookState({ forwardedUntil, ...webhook }: WebhookStateProps) {
  return (
    <>
      <Health {...webhook} />
      {forwardedUntil && (
        <Text
          span
          size="xs"
          c="dimmed"
          ms={8}
          title={t(
            '`posthorn listen --forward` sends these deliveries on to a server of a developer. The webhook is deleted when the command ends.',
          )}
        >
          {t('Temporary')}
        </Text>
      )}
    </>
  )
}

/** For viewers who may not see the health, whether the webhook is enabled. */
function Health({ enabled, health }: Omit<WebhookStateProps, 'forwardedUntil'>) {
  if (health) return <WebhookStateBadge state={health.state} />
  return enabled ? (
    <StateBadge label={t('Enabled')} color="blue" />
  ) : (
    <WebhookStateBadge state="DISABLED" />
  )
}
