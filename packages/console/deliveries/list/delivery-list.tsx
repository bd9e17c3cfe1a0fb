import { Anchor, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { attemptsPath } from '../../attempts/deliveries-path.ts'
import { List } from '../../components/lists/list.tsx'
import type { Cursors } from '../../components/lists/use-cursors.ts'
import { NoMatches } from '../../components/page/empty-state.tsx'
import { selectColumn } from '../../components/selection/select-column.tsx'
import { useSelection } from '../../components/selection/use-selection.ts'
import { usePanel } from '../../components/use-panel.ts'
import { useSession } from '../../session/session.tsx'
import { TaskPanel } from '../../tasks/task-panel.tsx'
import { BulkActions } from './bulk-actions.tsx'
import type { deliveryColumns } from './delivery-columns.tsx'
import type { useDeliveryFilters } from './delivery-filters.tsx'
import type { useDeliveries } from './use-deliveries.ts'

interface DeliveryListProps {
  /** The accessible name. */
  readonly label: string
  readonly columns: ReturnType<typeof deliveryColumns>
  readonly filters: ReturnType<typeof useDeliveryFilters>
  readonly cursors: Cursors
  readonly deliveries: ReturnType<typeof useDeliveries>
  /** Shown instead of an empty list without filters. */
  readonly empty: ReactNode
}

/** The deliveries that match the filters, with the actions for those that are selected, and what came of them. */
export function DeliveryList(props: DeliveryListProps) {
  const { label, columns, filters, cursors, deliveries, empty } = props
  const { rows, info, error, stale, reload } = deliveries
  const maySelect = useSession().can('deliveries:write')
  const task = usePanel('task')
  const selection = useSelection(rows?.map(({ id }) => id) ?? [], filters.key)
  // While the list loads, their place is kept.
  const hasActions = maySelect && (rows ? rows.length > 0 : !error)
  return (
    <>
      {filters.filter.anyAttempt && <SearchLimit path={attemptsPath(filters.values)} />}
      {task.id !== null && <TaskPanel id={task.id} onClose={task.close} />}
      <div>
        {hasActions && (
          <BulkActions
            selection={selection}
            rows={rows ?? []}
            filter={filters.filter}
            isWhole={!cursors.moved && info?.hasNextPage === false}
          />
        )}
        <List
          label={label}
          columns={
            maySelect
              ? [selectColumn(selection, ({ id }: { id: string }) => id), ...columns]
              : columns
          }
          rows={rows}
          keyOf={({ id }) => id}
          to={({ id }) => `/deliveries/${id}`}
          error={error}
          stale={stale}
          reload={reload}
          pages={{ info, cursors }}
          empty={filters.active ? <NoMatches clear={filters.clear} /> : empty}
        />
      </div>
    </>
  )
}

/** Says how far a search by attempts reaches, with a link to the attempts themselves, which have no such limit. */
function SearchLimit({ path }: { path: string }) {
  return (
    <Text size="xs" c="dimmed">
      Searches the newest 2,000 attempts that match.{' '}
      <Anchor component={Link} to={path} inherit underline="always">
        Show the attempts
      </Anchor>
    </Text>
  )
}
