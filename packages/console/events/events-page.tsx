import { useSearchParams } from 'react-router'
import { useRead } from '../api/use-read.ts'
import { EventTypeSelect } from '../components/filters/event-type-select.tsx'
import { FilterBar } from '../components/filters/filter-bar.tsx'
import { KeyFilter } from '../components/filters/key-filter.tsx'
import { TimeRange, useTimeRange } from '../components/filters/time-range.tsx'
import { useFilters } from '../components/filters/use-filters.ts'
import { List } from '../components/lists/list.tsx'
import { NewRows } from '../components/lists/new-rows.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { EmptyState, NoMatches } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { t } from '../language/t.ts'
import { changedParams } from '../lib/changed-params.ts'
import { useSession } from '../session/session.tsx'
import { eventColumns } from './event-columns.tsx'
import { EVENT_FILTERS, eventFilter, eventsQuery } from './events-query.ts'
import { PublishDialog } from './publish-dialog.tsx'
import { useNewerEvents } from './use-newer-events.ts'

export default function EventsPage() {
  const { can } = useSession()
  const filters = useFilters(EVENT_FILTERS)
  const { values, set, active, clear } = filters
  const withDeliveries = can('deliveries:read')
  const filter = eventFilter(values, useTimeRange(values))
  const cursors = useCursors()
  const { data, error, stale, reload } = useRead(
    eventsQuery.query,
    { ...cursors.variables, filter, withDeliveries },
    { context: eventsQuery.context },
  )
  const info = data?.events?.pageInfo
  const newer = useNewerEvents(
    data && (data.events?.nodes[0]?.id ?? null),
    info?.startCursor,
    filter,
    cursors.moved || cursors.oldestFirst,
  )
  const [params, setParams] = useSearchParams()

  return (
    <Page
      title={t('Events')}
      description="Published events. Each creates one delivery for each enabled webhook that subscribes to the event type."
      actions={
        <>
          <NewRows count={newer.count} isMore={newer.isMore} show={reload} />
          {can('events:publish') && (
            <PublishDialog
              type={params.get('publish')}
              opened={params.has('publish')}
              setOpened={(opened) =>
                setParams((current) => changedParams(current, { publish: opened ? 'event' : null }))
              }
            />
          )}
        </>
      }
    >
      <FilterBar active={active} clear={clear}>
        <KeyFilter values={values} set={set} />
        <EventTypeSelect value={values.type} onChange={(type) => set({ type })} w={220} />
        <TimeRange values={values} set={set} />
      </FilterBar>
      <List
        label={t('Events')}
        columns={eventColumns(withDeliveries)}
        rows={data?.events?.nodes}
        keyOf={({ id }) => id}
        to={({ id }) => `/events/${id}`}
        error={error}
        stale={stale}
        reload={reload}
        pages={{ info, cursors }}
        empty={active ? <NoMatches noun="event" clear={clear} /> : <EmptyList />}
      />
    </Page>
  )
}

function EmptyList() {
  return (
    <EmptyState title="No events yet">
      Your application publishes events over GraphQL, in SQL or on the command line. With the scope
      events:publish, you can publish an event at the top of this page.
    </EmptyState>
  )
}
