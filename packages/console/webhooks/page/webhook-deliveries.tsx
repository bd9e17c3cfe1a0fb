import { Anchor, Group, Stack } from '@mantine/core'
import { Link } from 'react-router'
import { List } from '../../components/lists/list.tsx'
import { NewRows } from '../../components/lists/new-rows.tsx'
import { useCursors } from '../../components/lists/use-cursors.ts'
import { LiveBadge } from '../../components/live-badge.tsx'
import { EmptyState } from '../../components/page/empty-state.tsx'
import { Section } from '../../components/page/section.tsx'
import { deliveryColumns } from '../../deliveries/list/delivery-columns.tsx'
import { DeliveryFilters, useDeliveryFilters } from '../../deliveries/list/delivery-filters.tsx'
import { DeliveryList } from '../../deliveries/list/delivery-list.tsx'
import { useDeliveries } from '../../deliveries/list/use-deliveries.ts'
import { t } from '../../language/t.ts'

const COLUMNS = deliveryColumns('webhook')

const NONE = (
  <EmptyState title={t('No deliveries yet')}>
    {t('Send a test event, or publish an event of a type that this webhook subscribes to.')}
  </EmptyState>
)

/** All deliveries of a webhook, with filters and pages, and the actions for those that are selected. */
export function WebhookDeliveries({ webhookId }: { webhookId: string }) {
  const filters = useDeliveryFilters(webhookId)
  const cursors = useCursors()
  const deliveries = useDeliveries({
    filter: filters.filter,
    page: cursors.variables,
    countNewer: !cursors.moved && !cursors.oldestFirst,
  })
  return (
    <Stack gap="lg">
      <DeliveryFilters filters={filters} />
      <Live {...deliveries} />
      <DeliveryList
        label={t('Deliveries of this webhook')}
        columns={COLUMNS}
        filters={filters}
        cursors={cursors}
        deliveries={deliveries}
        empty={NONE}
      />
    </Stack>
  )
}

const NEWEST = { first: 8 }

/** The newest deliveries of a webhook, with live updates. */
export function RecentDeliveries({ webhookId }: { webhookId: string }) {
  const filter = { webhookIds: [webhookId] }
  const deliveries = useDeliveries({ filter, page: NEWEST, countNewer: true })
  const { rows, error, reload } = deliveries
  return (
    <Section title={t('Recent deliveries')} actions={<Live {...deliveries} />}>
      <List
        label={t('Recent deliveries')}
        columns={COLUMNS}
        rows={rows}
        keyOf={({ id }) => id}
        to={({ id }) => `/deliveries/${id}`}
        error={error}
        reload={reload}
        empty={NONE}
      />
      {rows && rows.length > 0 && (
        <Anchor component={Link} to="?tab=deliveries" size="sm">
          {t('All deliveries')}
        </Anchor>
      )}
    </Section>
  )
}

/** Whether live updates arrive, and how many newer deliveries there are. */
function Live({ newer, state, reload }: ReturnType<typeof useDeliveries>) {
  return (
    <Group gap="sm" mih={30} justify="end">
      <NewRows {...newer} show={reload} />
      <LiveBadge state={state} />
    </Group>
  )
}
