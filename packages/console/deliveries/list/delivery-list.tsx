import { Button, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { List } from '../../components/lists/list.tsx'
import type { Cursors } from '../../components/lists/use-cursors.ts'
import { SelectionBar } from '../../components/selection/selection-bar.tsx'
import { useSelection } from '../../components/selection/use-selection.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import type { TargetAction, TaskTarget } from '../../tasks/bulk-action.ts'
import { StartTask } from '../../tasks/start-task.tsx'
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

/** The deliveries that match the filters, with the actions for those that are selected. */
export function DeliveryList(props: DeliveryListProps) {
  const { label, columns, filters, cursors, deliveries, empty } = props
  const { rows, info, error, stale, reload } = deliveries
  const maySelect = useSession().can('deliveries:write')
  const [action, setAction] = useState<TargetAction>('REDELIVER')
  const [target, setTarget] = useState<TaskTarget | null>(null)
  const shown = rows?.map(({ id }) => id) ?? []
  const selection = useSelection(filters.key)
  const succeeded = rows?.filter(({ id, state }) => state === 'SUCCEEDED' && selection.ids.has(id))

  function begin(next: TargetAction) {
    setAction(next)
    setTarget(selection.isAll ? { filter: filters.filter } : { ids: [...selection.ids] })
  }

  return (
    <>
      {filters.filter.anyAttempt && (
        <Text size="xs" c="dimmed">
          Searches the newest 2,000 attempts that match.
        </Text>
      )}
      <div>
        {/* While the list loads, the place of the bar is kept. */}
        {maySelect && (rows ? rows.length > 0 : !error) && (
          <SelectionBar
            selection={selection}
            shown={shown}
            selectAll={
              // No bulk action takes a search key.
              filters.filter.key == null &&
              (cursors.moved || info?.hasNextPage) && (
                <Button size="compact-xs" variant="subtle" onClick={selection.selectAll}>
                  {t('Select all that match')}
                </Button>
              )
            }
          >
            <Button size="xs" onClick={() => begin('REDELIVER')}>
              {t('Redeliver')}
            </Button>
            <Button
              size="xs"
              variant="default"
              c="var(--posthorn-on-red)"
              onClick={() => begin('CANCEL')}
            >
              {t('Cancel deliveries')}
            </Button>
          </SelectionBar>
        )}
        <List
          label={label}
          columns={columns}
          selection={maySelect ? selection : undefined}
          rows={rows}
          keyOf={({ id }) => id}
          to={({ id }) => `/deliveries/${id}`}
          error={error}
          stale={stale}
          reload={reload}
          pages={{ info, cursors }}
          clearFilters={filters.active && filters.clear}
          empty={empty}
        />
      </div>
      <StartTask
        action={action}
        target={target}
        succeeded={succeeded?.length ?? 0}
        onClose={() => setTarget(null)}
        onStart={selection.clear}
      />
    </>
  )
}
