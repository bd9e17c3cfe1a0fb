import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { ListViews } from '../../components/lists/list-views.tsx'
import { NewRows } from '../../components/lists/new-rows.tsx'
import { useCursors } from '../../components/lists/use-cursors.ts'
import { useListColumns } from '../../components/lists/use-list-columns.ts'
import { TIME_ORDERS } from '../../components/lists/use-order.ts'
import { LiveBadge } from '../../components/live-badge.tsx'
import { EmptyState } from '../../components/page/empty-state.tsx'
import { Page } from '../../components/page/page.tsx'
import { rich, t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { useFold } from '../event/fold.ts'
import { FoldSwitch } from '../event/fold-switch.tsx'
import { FoldedDeliveries } from '../event/folded-deliveries.tsx'
import { deliveryColumns, EXTRA_COLUMNS } from './delivery-columns.tsx'
import { DeliveryFilters, useDeliveryFilters } from './delivery-filters.tsx'
import { DeliveryList } from './delivery-list.tsx'
import { DELIVERY_PRESETS } from './delivery-presets.ts'
import { useDeliveries } from './use-deliveries.ts'

export default function DeliveriesPage() {
  const { isFolded } = useFold()
  return isFolded ? <FoldedDeliveries empty={<NoDeliveriesYet />} /> : <EachDelivery />
}

const COLUMNS = [...deliveryColumns(null), ...EXTRA_COLUMNS]

function EachDelivery() {
  const filters = useDeliveryFilters(useSession().webhookId)
  const cursors = useCursors()
  const columns = useListColumns('deliveries', COLUMNS)
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
      <ListViews
        list="deliveries"
        presets={DELIVERY_PRESETS}
        columns={columns}
        orders={TIME_ORDERS}
      >
        <FoldSwitch />
      </ListViews>
      <DeliveryFilters filters={filters} />
      <DeliveryList
        label={t('Deliveries')}
        columns={columns.columns}
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
      {rich(
        'Each event creates one delivery for each enabled webhook that subscribes to the event type. Send a test event from the page of a <anchor>webhook</anchor>.',
        {
          anchor: (text) => (
            <Anchor component={Link} to="/webhooks" inherit underline="always">
              {text}
            </Anchor>
          ),
        },
      )}
    </EmptyState>
  )
}
