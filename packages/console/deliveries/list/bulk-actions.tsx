import { Button } from '@mantine/core'
import { useState } from 'react'
import { SelectionBar } from '../../components/selection/selection-bar.tsx'
import type { Selection } from '../../components/selection/use-selection.ts'
import type { DeliveryFilter, DeliveryRowFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import type { TargetAction, TaskTarget } from '../../tasks/bulk-action.ts'
import { StartTask } from '../../tasks/start-task.tsx'
import { SelectMatching } from './select-matching.tsx'

interface BulkActionsProps {
  readonly selection: Selection
  /** The shown rows. */
  readonly rows: readonly DeliveryRowFragment[]
  readonly filter: DeliveryFilter
  /** Whether the shown rows are all that match. */
  readonly isWhole: boolean
}

/** Selects deliveries, and redelivers or cancels them. */
export function BulkActions({ selection, rows, filter, isWhole }: BulkActionsProps) {
  const [action, setAction] = useState<TargetAction>('REDELIVER')
  const [target, setTarget] = useState<TaskTarget | null>(null)
  const shown = rows.map(({ id }) => id)
  const succeeded = rows.filter(
    ({ id, state }) => state === 'SUCCEEDED' && !selection.isAll && selection.ids.has(id),
  ).length

  function begin(next: TargetAction) {
    setAction(next)
    setTarget(selection.isAll ? { filter } : { ids: [...selection.ids] })
  }

  return (
    <>
      <SelectionBar
        selection={selection}
        shown={shown}
        selectAll={!isWhole && <SelectMatching filter={filter} selection={selection} />}
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
      <StartTask
        action={action}
        target={target}
        succeeded={succeeded}
        onClose={() => setTarget(null)}
        onStart={selection.clear}
      />
    </>
  )
}
