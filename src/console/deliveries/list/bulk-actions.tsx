import { Button } from '@mantine/core'
import { useMemo, useState } from 'react'
import { SelectionBar } from '../../components/selection/selection-bar.tsx'
import type { Selection } from '../../components/selection/use-selection.ts'
import { usePanel } from '../../components/use-panel.ts'
import { ExportDialog } from '../../exports/export-dialog.tsx'
import type { DeliveryFilter, DeliveryRowFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { StartTask } from '../../tasks/start-task.tsx'
import type { TargetAction, TaskTarget } from '../../tasks/task-target.ts'
import { SelectMatching, useDeliveryCount } from './select-matching.tsx'
import { useExportDeliveries } from './use-export-deliveries.ts'

interface BulkActionsProps {
  readonly selection: Selection
  /** The shown rows. */
  readonly rows: readonly DeliveryRowFragment[]
  readonly filter: DeliveryFilter
  /** Whether the shown rows are all that match. */
  readonly isWhole: boolean
}

/** Selects deliveries, and redelivers, cancels or exports them. */
export function BulkActions({ selection, rows, filter, isWhole }: BulkActionsProps) {
  const { can } = useSession()
  const task = usePanel('task')
  const [action, setAction] = useState<TargetAction>('REDELIVER')
  const [target, setTarget] = useState<TaskTarget | null>(null)
  const [exporting, setExporting] = useState(false)
  const shown = rows.map(({ id }) => id)
  const isPage = shown.length > 0 && shown.every((id) => selection.has(id))
  const total = useDeliveryCount(filter, isPage && !isWhole)
  const selected: TaskTarget = useMemo(
    () => (selection.isAll ? { filter } : { ids: [...selection.ids] }),
    [selection.isAll, selection.ids, filter],
  )
  const source = useExportDeliveries(
    selection.isAll || selection.ids.size === 0 ? { filter } : selected,
  )
  const succeeded = rows.filter(
    ({ id, state }) => state === 'SUCCEEDED' && !selection.isAll && selection.ids.has(id),
  ).length

  function begin(next: TargetAction) {
    setAction(next)
    setTarget(selected)
  }

  return (
    <>
      <SelectionBar
        selection={selection}
        shown={shown}
        total={total}
        selectAll={
          !isWhole && <SelectMatching filter={filter} total={total} selection={selection} />
        }
        always={
          <Button
            size="xs"
            variant="default"
            disabled={shown.length === 0}
            onClick={() => setExporting(true)}
          >
            {t('Export')}
          </Button>
        }
      >
        {can('deliveries:write') && (
          <>
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
          </>
        )}
      </SelectionBar>
      <StartTask
        action={action}
        target={target}
        succeeded={succeeded}
        onClose={() => setTarget(null)}
        onStart={(id) => {
          selection.clear()
          task.open(id)
        }}
      />
      <ExportDialog
        opened={exporting}
        onClose={() => setExporting(false)}
        source={source}
        count={selection.isAll || selection.ids.size === 0 ? null : selection.ids.size}
      />
    </>
  )
}
