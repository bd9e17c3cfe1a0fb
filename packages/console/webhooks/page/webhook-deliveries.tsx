import { Anchor, Group, Stack, Text } from '@mantine/core'
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

const WEBHOOK_DELIVERY_COLUMNS = deliveryColumns('webhook')

/** All deliveries of a webhook, with filters and pages, and the actions for those that are selected. */
export function WebhookDeliveries({ webhookId }: { webhookId: string }) {
  const filters = useDeliveryFilters(webhookId)
  const cursors = useCursors()
  const deliveries = useDeliveries({
    filter: filters.filter,
    page: cursors.variables,
    countNewer: !cursors.moved && !cursors.oldestFirst,
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
        label={t('Deliveries of this webhook')}
        columns={WEBHOOK_DELIVERY_COLUMNS}
        filters={filters}
        cursors={cursors}
        deliveries={deliveries}
        empty={<NoDeliveries />}
      />
    </Stack>
  )
}

function NoDeliveries() {
  return (
    <EmptyState title={t('No deliveries yet')}>
      {t('Send a test event, or publish an event of a type that this webhook subscribes to.')}
    </EmptyState>
  )
}

const NEWEST = { first: 8 }

/** The newest deliveries of a webhook, with live updates. */
export function RecentDeliveries({ webhookId }: { webhookId: string }) {
  const { rows, newer, state, error, reload } = useDeliveries({
    filter: { webhookIds: [webhookId] },
    page: NEWEST,
    countNewer: true,
  })
  return (
    <Section
      title={t('Recent deliveries')}
      actions={
        <Group gap="sm" mih={30}>
          <NewRows count={newer.count} isMore={newer.isMore} show={reload} />
          <LiveBadge state={state} />
        </Group>
      }
    >
      <List
        label={t('Recent deliveries')}
        columns={WEBHOOK_DELIVERY_COLUMNS}
        rows={rows}
        keyOf={({ id }) => id}
        to={({ id }) => `/deliveries/${id}`}
        error={error}
        reload={reload}
        empty={<NoDeliveries />}
      />
      {rows && rows.length > 0 && (
        <Text size="sm">
          <Anchor component={Link} to="?tab=deliveries" inherit>
            {t('All deliveries')}
          </Anchor>
        </Text>
      )}
    </Section>
  )
}
