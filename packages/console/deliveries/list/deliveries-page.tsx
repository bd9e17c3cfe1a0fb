import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { Presets } from '../../components/filters/presets.tsx'
import { NewRows } from '../../components/lists/new-rows.tsx'
import { useCursors } from '../../components/lists/use-cursors.ts'
import { LiveBadge } from '../../components/live-badge.tsx'
import { EmptyState } from '../../components/page/empty-state.tsx'
import { Page } from '../../components/page/page.tsx'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { deliveryColumns } from './delivery-columns.tsx'
import { DeliveryFilters, useDeliveryFilters } from './delivery-filters.tsx'
import { DeliveryList } from './delivery-list.tsx'
import { DELIVERY_PRESETS } from './delivery-presets.ts'
import { useDeliveries } from './use-deliveries.ts'

const COLUMNS = deliveryColumns(null)

export default function DeliveriesPage() {
  const filters = useDeliveryFilters(useSession().webhookId)
  const cursors = useCursors()
  const deliveries = useDeliveries({
    filter: filters.filter,
    page: cursors.variables,
    countNewer: !cursors.moved && !cursors.oldestFirst,
  })
  const { newer, state, reload } = deliveries
  return (
    <Page
      title={t('Deliveries')}
      description={t(
        'Each delivery sends one event to one endpoint and is retried until it succeeds or runs out of retries.',
      )}
      aside={<LiveBadge state={state} />}
      actions={<NewRows count={newer.count} isMore={newer.isMore} show={reload} />}
    >
      <Presets presets={DELIVERY_PRESETS} />
      <DeliveryFilters filters={filters} />
      <DeliveryList
        label={t('Deliveries')}
        columns={COLUMNS}
        filters={filters}
        cursors={cursors}
        deliveries={deliveries}
        empty={<NoDeliveriesYet />}
      />
    </Page>
  )
}

function NoDeliveriesYet() {
  return (
    <EmptyState title={t('No deliveries yet')}>
      Each event creates one delivery for each enabled webhook that subscribes to the event type.
      Send a test event from the page of a{' '}
      <Anchor component={Link} to="/webhooks" inherit underline="always">
        webhook
      </Anchor>
      .
    </EmptyState>
  )
}
