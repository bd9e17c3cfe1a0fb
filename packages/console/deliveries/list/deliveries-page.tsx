import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { type Preset, Presets } from '../../components/filters/presets.tsx'
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
import { useDeliveries } from './use-deliveries.ts'

/** Frequent questions about deliveries, as query parameters. */
const PRESETS: readonly Preset[] = [
  { label: 'Failed in the last hour', params: { status: 'FAILED', within: '1h' } },
  { label: t('Retrying'), params: { state: 'RETRYING' } },
  { label: t('Waiting'), params: { state: 'WAITING' } },
  { label: 'Exhausted today', params: { state: 'EXHAUSTED', within: 'today' } },
  { label: 'Slow today', params: { duration: '5000', within: 'today' } },
]
const COLUMNS = deliveryColumns(null)

export default function DeliveriesPage() {
  const filters = useDeliveryFilters(useSession().webhookId)
  const cursors = useCursors()
  const deliveries = useDeliveries({
    filter: filters.filter,
    page: cursors.variables,
    countNewer: !cursors.moved && !cursors.oldestFirst,
  })
  return (
    <Page
      title={t('Deliveries')}
      description={t(
        'Each delivery sends one event to one endpoint and is retried until it succeeds or runs out of retries.',
      )}
      aside={<LiveBadge state={deliveries.state} />}
      actions={<NewRows {...deliveries.newer} show={deliveries.reload} />}
    >
      <Presets presets={PRESETS} />
      <DeliveryFilters filters={filters} />
      <DeliveryList
        label={t('Deliveries')}
        columns={COLUMNS}
        filters={filters}
        cursors={cursors}
        deliveries={deliveries}
        empty={
          <EmptyState title={t('No deliveries yet')}>
            Each event creates one delivery for each enabled webhook that subscribes to the event
            type. Send a test event from the page of a{' '}
            <Anchor component={Link} to="/webhooks" inherit underline="always">
              webhook
            </Anchor>
            .
          </EmptyState>
        }
      />
    </Page>
  )
}
