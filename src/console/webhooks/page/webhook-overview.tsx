import { Stack } from '@mantine/core'
import { Notice } from '../../components/page/notice.tsx'
import type { WebhookDetailQuery } from '../../generated/graphql.ts'
import { HealthNotice } from '../health/health-notice.tsx'
import { WebhookStatistics } from '../health/webhook-statistics.tsx'
import { RecentDeliveries } from './recent-deliveries.tsx'

interface WebhookOverviewProps {
  readonly webhook: NonNullable<WebhookDetailQuery['webhook']>
  reload(): void
}

/** The health of a webhook: now, over time, and by delivery. */
export function WebhookOverview({ webhook, reload }: WebhookOverviewProps) {
  return (
    <Stack gap="lg">
      {webhook.forwardedUntil && (
        <Notice color="blue" title="Temporary">
          `posthorn listen --forward` sends these deliveries on to a server of a developer. The
          webhook is deleted when the command ends.
        </Notice>
      )}
      <HealthNotice webhook={webhook} reload={reload} />
      <WebhookStatistics webhookId={webhook.id} />
      <RecentDeliveries webhookId={webhook.id} />
    </Stack>
  )
}
