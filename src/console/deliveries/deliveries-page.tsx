import { Anchor } from '@mantine/core'
import { Trans } from 'react-i18next'
import { Link } from 'react-router'
import { Presets } from '../components/filters/presets.tsx'
import { List } from '../components/lists/list.tsx'
import { NewRows } from '../components/lists/new-rows.tsx'
import { NoMatches } from '../components/lists/no-matches.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { LiveBadge } from '../components/live-badge.tsx'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { selectColumn } from '../components/selection/select-column.tsx'
import { useSelection } from '../components/selection/use-selection.ts'
import { usePanel } from '../components/use-panel.ts'
import { useSession } from '../session/session.tsx'
import { t } from '../strings/t.ts'
import { TaskPanel } from '../tasks/task-panel.tsx'
import { BulkActions } from './bulk-actions.tsx'
import { deliveryColumns, linkedColumn } from './delivery-columns.tsx'
import { DeliveryFilters, useDeliveryFilters } from './delivery-filters.tsx'
import { PRESETS } from './presets.ts'
import { SearchLimit } from './search-limit.tsx'
import { useDeliveries } from './use-deliveries.ts'

const [FIRST, ...OTHERS] = deliveryColumns(null)

export default function DeliveriesPage() {
  const filters = useDeliveryFilters(useSession().webhookId)
  const cursors = useCursors()
  const task = usePanel('task')
  const { rows, newer, state, info, error, stale, reload } = useDeliveries({
    filter: filters.filter,
    page: cursors.variables,
    countNewer: !cursors.moved,
  })
  const selection = useSelection(rows?.map(({ id }) => id) ?? [], filters.key)
  const columns = [
    selectColumn(selection, ({ id }: { id: string }) => id),
    ...(FIRST ? [linkedColumn(FIRST, ({ id }) => `/deliveries/${id}`)] : []),
    ...OTHERS,
  ]
  return (
    <Page
      title={t('deliveries:title')}
      description={t('deliveries:description')}
      aside={<LiveBadge state={state} />}
      actions={<NewRows count={newer.count} isMore={newer.isMore} show={reload} />}
    >
      <Presets presets={PRESETS} />
      <DeliveryFilters filters={filters} />
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
          label={t('deliveries:title')}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          error={error}
          stale={stale}
          retry={reload}
          pages={{ info, cursors }}
          empty={
            filters.active ? (
              <NoMatches noun={t('deliveries:noun')} clear={filters.clear} />
            ) : (
              <EmptyList />
            )
          }
        />
      </div>
    </Page>
  )
}

function EmptyList() {
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
