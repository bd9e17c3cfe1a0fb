import { Anchor } from '@mantine/core'
import { Trans } from 'react-i18next'
import { Link } from 'react-router'
import { Presets } from '../components/filters/presets.tsx'
import { NewRows } from '../components/lists/new-rows.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { LiveBadge } from '../components/live-badge.tsx'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { useSession } from '../session/session.tsx'
import { t } from '../strings/t.ts'
import { deliveryColumns } from './delivery-columns.tsx'
import { DeliveryFilters, useDeliveryFilters } from './delivery-filters.tsx'
import { DeliveryList } from './delivery-list.tsx'
import { PRESETS } from './presets.ts'
import { useDeliveries } from './use-deliveries.ts'

const COLUMNS = deliveryColumns(null)

export default function DeliveriesPage() {
  const filters = useDeliveryFilters(useSession().webhookId)
  const cursors = useCursors()
  const deliveries = useDeliveries({
    filter: filters.filter,
    page: cursors.variables,
    countNewer: !cursors.moved,
  })
  const { newer, state, reload } = deliveries
  return (
    <Page
      title={t('deliveries:title')}
      description={t('deliveries:description')}
      aside={<LiveBadge state={state} />}
      actions={<NewRows count={newer.count} isMore={newer.isMore} show={reload} />}
    >
      <Presets presets={PRESETS} />
      <DeliveryFilters filters={filters} />
      <DeliveryList
        label={t('deliveries:title')}
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
    <EmptyState title={t('deliveries:empty.title')}>
      <Trans
        ns="deliveries"
        i18nKey="empty.body"
        components={{
          a: <Anchor component={Link} to="/webhooks" inherit underline="always" />,
        }}
      />
    </EmptyState>
  )
}
