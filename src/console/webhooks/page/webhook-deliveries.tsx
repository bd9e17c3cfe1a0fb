import { Group, Stack } from '@mantine/core'
import { List } from '../../components/lists/list.tsx'
import { NewRows } from '../../components/lists/new-rows.tsx'
import { NoMatches } from '../../components/lists/no-matches.tsx'
import { useCursors } from '../../components/lists/use-cursors.ts'
import { LiveBadge } from '../../components/live-badge.tsx'
import { EmptyState } from '../../components/page/empty-state.tsx'
import { deliveryColumns } from '../../deliveries/delivery-columns.tsx'
import { DeliveryFilters, useDeliveryFilters } from '../../deliveries/delivery-filters.tsx'
import { useDeliveries } from '../../deliveries/use-deliveries.ts'
import { t } from '../../strings/t.ts'

export const WEBHOOK_DELIVERY_COLUMNS = deliveryColumns('webhook')

/** All deliveries of a webhook, with filters and pages. */
export function WebhookDeliveries({ webhookId }: { webhookId: string }) {
  const filters = useDeliveryFilters(webhookId)
  const cursors = useCursors()
  const { rows, newer, state, info, error, stale, reload } = useDeliveries({
    filter: filters.filter,
    page: cursors.variables,
    countNewer: !cursors.moved,
    ofOneWebhook: true,
  })
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="end">
        <DeliveryFilters filters={filters} />
        <Group gap="sm" mih={30}>
          <NewRows count={newer.count} isMore={newer.isMore} show={reload} />
          <LiveBadge state={state} />
        </Group>
      </Group>
      <List
        label={t('webhooks:webhookDeliveries.deliveriesOfThisWebhook')}
        columns={WEBHOOK_DELIVERY_COLUMNS}
        rows={rows}
        keyOf={({ id }) => id}
        to={({ id }) => `/deliveries/${id}`}
        error={error}
        stale={stale}
        retry={reload}
        pages={{ info, cursors }}
        empty={
          filters.active ? (
            <NoMatches noun={t('webhooks:webhookDeliveries.delivery')} clear={filters.clear} />
          ) : (
            <NoDeliveries />
          )
        }
      />
    </Stack>
  )
}

export function NoDeliveries() {
  return (
    <EmptyState title={t('webhooks:webhookDeliveries.noDeliveriesYet')}>
      {t('webhooks:webhookDeliveries.sendATestEvent')}
    </EmptyState>
  )
}
