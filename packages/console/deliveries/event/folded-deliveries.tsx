import { Group } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useRead } from '../../api/use-read.ts'
import { Presets } from '../../components/filters/presets.tsx'
import { List } from '../../components/lists/list.tsx'
import { NewRows } from '../../components/lists/new-rows.tsx'
import { useCursors } from '../../components/lists/use-cursors.ts'
import { LiveBadge } from '../../components/live-badge.tsx'
import { NoMatches } from '../../components/page/empty-state.tsx'
import { Page } from '../../components/page/page.tsx'
import { toggled } from '../../components/selection/toggled.ts'
import { usePanel } from '../../components/use-panel.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { TaskPanel } from '../../tasks/task-panel.tsx'
import { deliveriesByEventQuery } from '../deliveries-query.ts'
import { DeliveryFilters, useDeliveryFilters } from '../list/delivery-filters.tsx'
import { DELIVERY_PRESETS } from '../list/delivery-presets.ts'
import { FOLDED } from './fold.ts'
import { FoldSwitch } from './fold-switch.tsx'
import { foldedColumns } from './folded-columns.tsx'
import { RedeliverFailed } from './redeliver-failed.tsx'
import { UnfoldedEvent } from './unfolded-event.tsx'
import { useLiveEvents } from './use-live-events.ts'

const NONE: ReadonlySet<string> = new Set()

/** The page of deliveries with one row for each event: what came of its deliveries, and those that match below. */
export function FoldedDeliveries({ empty }: { empty: ReactNode }) {
  const filters = useDeliveryFilters(null)
  const cursors = useCursors()
  const { filter } = filters
  const { data, error, stale, reload } = useRead(
    deliveriesByEventQuery.query,
    { ...cursors.variables, filter },
    { context: deliveriesByEventQuery.context },
  )
  const info = data?.deliveries?.pageInfo
  const { rows, newer, round, state } = useLiveEvents({
    rows: data?.deliveries?.nodes,
    filter,
    before: info?.startCursor,
    countNewer: !cursors.moved && !cursors.oldestFirst,
  })
  const mayRedeliver = useSession().can('deliveries:write')
  const task = usePanel('task')
  const [asked, setAsked] = useState<string | null>(null)
  const [unfolded, setUnfolded] = useState(NONE)
  const columns = foldedColumns({
    unfolded,
    toggle: (id) =>
      setUnfolded((selected) => toggled({ shown: [], selected, anchor: '', id, through: false })),
    redeliver: mayRedeliver ? setAsked : undefined,
  })
  return (
    <Page
      title={t('Deliveries')}
      description="Each row is one event, with what came of all its deliveries. The filters select deliveries."
      aside={<LiveBadge state={state} />}
      actions={<NewRows count={newer.count} isMore={newer.isMore} show={reload} />}
    >
      <Group justify="space-between" gap="xs">
        <Presets
          presets={DELIVERY_PRESETS.map(({ label, params }) => ({
            label,
            params: { ...params, ...FOLDED },
          }))}
        />
        <FoldSwitch />
      </Group>
      <DeliveryFilters filters={filters} />
      {task.id !== null && <TaskPanel id={task.id} onClose={task.close} />}
      <List
        label="Deliveries by event"
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        to={({ id, event }) => (event ? `/events/${event.id}` : `/deliveries/${id}`)}
        detail={({ id, event }) =>
          event && unfolded.has(id) && <UnfoldedEvent id={event.id} filter={filter} round={round} />
        }
        error={error}
        stale={stale}
        reload={reload}
        pages={{ info, cursors }}
        empty={filters.active ? <NoMatches clear={filters.clear} /> : empty}
      />
      <RedeliverFailed eventId={asked} onClose={() => setAsked(null)} />
    </Page>
  )
}
