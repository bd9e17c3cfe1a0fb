import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { List } from '../components/lists/list.tsx'
import { NewRows } from '../components/lists/new-rows.tsx'
import { NoMatches } from '../components/lists/no-matches.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { LiveBadge } from '../components/live-badge.tsx'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { useSession } from '../session/session.tsx'
import { deliveryColumns } from './delivery-columns.tsx'
import { DeliveryFilters, useDeliveryFilters } from './delivery-filters.tsx'
import { useDeliveries } from './use-deliveries.ts'

const COLUMNS = deliveryColumns(null)

export default function DeliveriesPage() {
  const filters = useDeliveryFilters(useSession().webhookId)
  const cursors = useCursors()
  const { rows, newer, state, info, error, stale, reload } = useDeliveries({
    filter: filters.filter,
    page: cursors.variables,
    countNewer: !cursors.moved,
  })
  return (
    <Page
      title="Deliveries"
      description="A delivery sends one event to one webhook. Failed attempts are retried until one succeeds or the retry schedule is exhausted."
      aside={<LiveBadge state={state} />}
      actions={<NewRows count={newer.count} isMore={newer.isMore} show={reload} />}
    >
      <DeliveryFilters filters={filters} />
      <List
        label="Deliveries"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ id }) => id}
        to={({ id }) => `/deliveries/${id}`}
        error={error}
        stale={stale}
        retry={reload}
        pages={{ info, cursors }}
        empty={filters.active ? <NoMatches noun="delivery" clear={filters.clear} /> : <EmptyList />}
      />
    </Page>
  )
}

function EmptyList() {
  return (
    <EmptyState title="No deliveries yet">
      Each event creates one delivery for each enabled webhook that subscribes to its type. Send a
      test event from the page of a{' '}
      <Anchor component={Link} to="/webhooks" inherit underline="always">
        webhook
      </Anchor>
      .
    </EmptyState>
  )
}
