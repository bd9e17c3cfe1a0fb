import { Group, Stack } from '@mantine/core'
import { List } from '../../components/lists/list.tsx'
import { NewRows } from '../../components/lists/new-rows.tsx'
import { NoMatches } from '../../components/lists/no-matches.tsx'
import { useCursors } from '../../components/lists/use-cursors.ts'
import { LiveBadge } from '../../components/live-badge.tsx'
import { EmptyState } from '../../components/page/empty-state.tsx'
import { selectColumn } from '../../components/selection/select-column.tsx'
import { useSelection } from '../../components/selection/use-selection.ts'
import { usePanel } from '../../components/use-panel.ts'
import { BulkActions } from '../../deliveries/bulk-actions.tsx'
import { deliveryColumns, linkedColumn } from '../../deliveries/delivery-columns.tsx'
import { DeliveryFilters, useDeliveryFilters } from '../../deliveries/delivery-filters.tsx'
import { SearchLimit } from '../../deliveries/search-limit.tsx'
import { useDeliveries } from '../../deliveries/use-deliveries.ts'
import { t } from '../../strings/t.ts'
import { TaskPanel } from '../../tasks/task-panel.tsx'

export const WEBHOOK_DELIVERY_COLUMNS = deliveryColumns('webhook')

const [FIRST, ...OTHERS] = WEBHOOK_DELIVERY_COLUMNS

/** All deliveries of a webhook, with filters and pages, and the actions for those that are selected. */
export function WebhookDeliveries({ webhookId }: { webhookId: string }) {
  const filters = useDeliveryFilters(webhookId)
  const cursors = useCursors()
  const { rows, newer, state, info, error, stale, reload } = useDeliveries({
    filter: filters.filter,
    page: cursors.variables,
    countNewer: !cursors.moved,
    ofOneWebhook: true,
  })
  const task = usePanel('task')
  const selection = useSelection(rows?.map(({ id }) => id) ?? [], filters.key)
  const columns = [
    selectColumn(selection, ({ id }: { id: string }) => id),
    ...(FIRST ? [linkedColumn(FIRST, ({ id }) => `/deliveries/${id}`)] : []),
    ...OTHERS,
  ]
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="end">
        <DeliveryFilters filters={filters} />
        <Group gap="sm" mih={30}>
          <NewRows count={newer.count} isMore={newer.isMore} show={reload} />
          <LiveBadge state={state} />
        </Group>
      </Group>
      {filters.filter.anyAttempt && <SearchLimit values={filters.values} />}
      {task.id !== null && <TaskPanel id={task.id} onClose={task.close} />}
      <div>
        <BulkActions
          selection={selection}
          rows={rows ?? []}
          filter={filters.filter}
          isWhole={!cursors.moved && info?.hasNextPage === false}
        />
        <List
          label={t('webhooks:webhookDeliveries.deliveriesOfThisWebhook')}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
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
      </div>
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
