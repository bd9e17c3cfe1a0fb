import { Group, Text } from '@mantine/core'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { useRead } from '../api/use-read.ts'
import { EventTypeSelect } from '../components/filters/event-type-select.tsx'
import { FilterBar } from '../components/filters/filter-bar.tsx'
import { TIME_FILTERS, TimeRange, useTimeRange } from '../components/filters/time-range.tsx'
import { useFilters } from '../components/filters/use-filters.ts'
import { type Column, List } from '../components/lists/list.tsx'
import { NewRows } from '../components/lists/new-rows.tsx'
import { NoMatches } from '../components/lists/no-matches.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { Time } from '../components/time.tsx'
import { TestBadge } from '../deliveries/delivery-columns.tsx'
import { type EventRowFragment, EventsDocument } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { EventIdFilter, isEventId } from './event-id-filter.tsx'
import { PublishDialog } from './publish-dialog.tsx'
import { useNewerEvents } from './use-newer-events.ts'

const COLUMNS: readonly Column<EventRowFragment>[] = [
  {
    label: 'Event',
    cell: ({ id, type, isTest }) => (
      <>
        <Group gap={6} component="span">
          {type}
          {isTest && <TestBadge />}
        </Group>
        <Text span c="dimmed" fz="xs" className="ph-mono" display="block">
          {id}
        </Text>
      </>
    ),
  },
  { label: 'Occurred', cell: ({ occurredAt }) => <Time at={occurredAt} />, width: 220 },
  {
    label: 'Published',
    cell: ({ publishedAt }) => <Time at={publishedAt} as="relative" />,
    width: 140,
  },
]

export default function EventsPage() {
  const { can } = useSession()
  const filters = useFilters(['id', 'type', ...TIME_FILTERS])
  const { values, set, active, clear } = filters
  const range = useTimeRange(values)
  const filter = {
    ...range,
    ...(isEventId(values.id) && { id: values.id }),
    ...(values.type && { type: values.type }),
  }
  const cursors = useCursors()
  const context = useMemo(() => ({ additionalTypenames: ['Event'] }), [])
  const { data, error, stale, reload } = useRead(
    EventsDocument,
    { ...cursors.variables, filter },
    { context },
  )
  const info = data?.events?.pageInfo
  const newer = useNewerEvents(
    data && (data.events?.nodes[0]?.id ?? null),
    info?.startCursor,
    filter,
    cursors.moved || values.id !== null,
  )
  const [params, setParams] = useSearchParams()

  return (
    <Page
      title="Events"
      description="The events that were published. Each event creates one delivery for each enabled webhook that subscribes to its type."
      actions={
        <>
          <NewRows count={newer.count} isMore={newer.isMore} show={reload} />
          {can('events:publish') && (
            <PublishDialog
              opened={params.has('publish')}
              setOpened={(opened) =>
                setParams((current) => {
                  const next = new URLSearchParams(current)
                  if (opened) next.set('publish', '')
                  else next.delete('publish')
                  return next
                })
              }
            />
          )}
        </>
      }
    >
      <FilterBar active={active} clear={clear}>
        <EventIdFilter value={values.id} onChange={(id) => set({ id })} />
        <EventTypeSelect value={values.type} onChange={(type) => set({ type })} />
        <TimeRange values={values} set={set} />
      </FilterBar>
      <List
        label="Events"
        columns={COLUMNS}
        rows={data?.events?.nodes}
        keyOf={({ id }) => id}
        to={({ id }) => `/events/${id}`}
        error={error}
        stale={stale}
        retry={reload}
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
