import { Group, Stack } from '@mantine/core'
import { NewRows } from '../../components/lists/new-rows.tsx'
import { useCursors } from '../../components/lists/use-cursors.ts'
import { LiveBadge } from '../../components/live-badge.tsx'
import { EmptyState } from '../../components/page/empty-state.tsx'
import { deliveryColumns } from '../../deliveries/delivery-columns.tsx'
import { DeliveryFilters, useDeliveryFilters } from '../../deliveries/delivery-filters.tsx'
import { DeliveryList } from '../../deliveries/delivery-list.tsx'
import { useDeliveries } from '../../deliveries/use-deliveries.ts'

export const WEBHOOK_DELIVERY_COLUMNS = deliveryColumns('webhook')

/** All deliveries of a webhook, with filters and pages, and the actions for those that are selected. */
export function WebhookDeliveries({ webhookId }: { webhookId: string }) {
  const filters = useDeliveryFilters(webhookId)
  const cursors = useCursors()
  const deliveries = useDeliveries({
    filter: filters.filter,
    page: cursors.variables,
    countNewer: !cursors.moved,
    ofOneWebhook: true,
  })
  const { newer, state, reload } = deliveries
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="end">
        <div style={{ flex: '1 1 20rem' }}>
          <DeliveryFilters filters={filters} />
        </div>
        <Group gap="sm" mih={30}>
          <NewRows count={newer.count} isMore={newer.isMore} show={reload} />
          <LiveBadge state={state} />
        </Group>
      </Group>
      <DeliveryList
        label="Deliveries of this webhook"
        columns={WEBHOOK_DELIVERY_COLUMNS}
        filters={filters}
        cursors={cursors}
        deliveries={deliveries}
        empty={<NoDeliveries />}
      />
    </Stack>
  )
}

export function NoDeliveries() {
  return (
    <EmptyState title="No deliveries yet">
      Send a test event, or publish an event of a type that this webhook subscribes to.
    </EmptyState>
  )
}
