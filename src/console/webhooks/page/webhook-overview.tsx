import { Stack } from '@mantine/core'
import type { WebhookDetailQuery } from '../../generated/graphql.ts'
import { HealthNow } from '../health/health-now.tsx'
import { WebhookStatistics } from '../health/webhook-statistics.tsx'
import { RecentDeliveries } from './recent-deliveries.tsx'

interface WebhookOverviewProps {
  readonly webhook: NonNullable<WebhookDetailQuery['webhook']>
  reload(): void
}

/** How a webhook fares: now, over time, and delivery by delivery. */
export function WebhookOverview({ webhook, reload }: WebhookOverviewProps) {
  return (
    <Stack gap="lg">
      <HealthNow webhook={webhook} reload={reload} />
      <WebhookStatistics webhookId={webhook.id} />
      <RecentDeliveries webhookId={webhook.id} />
    </Stack>
  )
}
