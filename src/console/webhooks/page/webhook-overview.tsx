import { Stack } from '@mantine/core'
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
      <HealthNotice webhook={webhook} reload={reload} />
      <WebhookStatistics webhookId={webhook.id} />
      <RecentDeliveries webhookId={webhook.id} />
    </Stack>
  )
}
