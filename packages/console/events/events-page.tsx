import { Button, Modal, Text } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { usePolling } from '../api/use-polling.ts'
import { useRead } from '../api/use-read.ts'
import { EventTypeSelect } from '../components/filters/event-type-select.tsx'
import { FilterBar } from '../components/filters/filter-bar.tsx'
import { KEY_FILTERS, readKey, TIME_FILTERS } from '../components/filters/filter-params.ts'
import { KeyFilter } from '../components/filters/key-filter.tsx'
import { TimeRange, useTimeRange } from '../components/filters/time-range.tsx'
import { useFilters } from '../components/filters/use-filters.ts'
import { type Column, List } from '../components/lists/list.tsx'
import { NewRows } from '../components/lists/new-rows.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { BY_TIME } from '../components/lists/use-order.ts'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { Time } from '../components/time.tsx'
import { usePanel } from '../components/use-panel.ts'
import { Delivered } from '../deliveries/event/delivered.tsx'
import { TestBadge } from '../deliveries/list/delivery-columns.tsx'
import { EventsDocument, EventsNewerDocument, type EventsQuery } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { useSession } from '../session/session.tsx'
import { PublishForm } from './publish-form.tsx'

type Row = NonNullable<EventsQuery['events']>['nodes'][number]

const DELIVERIES: Column<Row> = {
  label: t('Deliveries'),
  cell: ({ deliveryCounts }) => deliveryCounts && <Delivered counts={deliveryCounts} />,
  width: 160,
}

const COLUMNS: readonly Column<Row>[] = [
  {
    label: 'Event',
    cell: ({ type, isTest, preview }) => (
      <>
        {type.name} {isTest && <TestBadge />}{' '}
        <Text span c="dimmed" fz="xs" fw={400} className="ph-mono">
          {preview ?? t('Erased')}
        </Text>
      </>
    ),
    grow: true,
  },
  DELIVERIES,
  {
    label: 'Published',
    priority: 2,
    order: BY_TIME,
    cell: ({ publishedAt }) => <Time at={publishedAt} as="relative" />,
    width: 110,
  },
]

/** An empty list changes too. */
const CONTEXT = { additionalTypenames: ['Event'] }
const COUNT_NEWER_EVERY_MS = 5_000

export default function EventsPage() {
  const { can } = useSession()
  const { values, set, active, clear } = useFilters(['type', ...KEY_FILTERS, ...TIME_FILTERS])
  const cursors = useCursors()
  const withDeliveries = can('deliveries:read')
  const key = readKey(values)
  const filter = {
    ...useTimeRange(values),
    ...(values.type && { type: values.type }),
    ...(key && { key }),
  }
  const { data, ...read } = useRead(
    EventsDocument,
    { ...cursors.variables, filter, withDeliveries },
    { context: CONTEXT },
  )
  const info = data?.events?.pageInfo
  // No live event reports a published event.
  const newer = useRead(
    EventsNewerDocument,
    { before: info?.startCursor ?? null, filter },
    { pause: true },
  )
  const isOnTop = data !== undefined && !cursors.moved && !cursors.oldestFirst
  usePolling(isOnTop ? COUNT_NEWER_EVERY_MS : null, newer.reload)
  const { nodes: newerNodes = [], pageInfo: newerInfo } = newer.data?.events ?? {}

  return (
    <Page
      title={t('Events')}
      description="Published events. Each creates one delivery for each enabled webhook that subscribes to the event type."
      actions={
        <>
          <NewRows
            count={newerNodes.length}
            isMore={newerInfo?.hasPreviousPage ?? false}
            show={read.reload}
          />
          {can('events:publish') && <PublishDialog />}
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
        columns={withDeliveries ? COLUMNS : COLUMNS.filter((column) => column !== DELIVERIES)}
        rows={data?.events?.nodes}
        keyOf={({ id }) => id}
        to={({ id }) => `/events/${id}`}
        {...read}
        pages={{ info, cursors }}
        clearFilters={active && clear}
        empty={
          <EmptyState title="No events yet">
            Your application publishes events over GraphQL, in SQL or on the command line. With the
            scope events:publish, you can publish an event at the top of this page.
          </EmptyState>
        }
      />
    </Page>
  )
}

/** `/events?publish=order.paid` opens the form with this event type. */
function PublishDialog() {
  const dialog = usePanel('publish')
  return (
    <>
      <Button leftSection={<IconSend size={16} />} onClick={() => dialog.open('event')}>
        Publish event
      </Button>
      <Modal opened={dialog.id !== null} onClose={dialog.close} title="Publish event" size="lg">
        <PublishForm asked={dialog.id} close={dialog.close} />
      </Modal>
    </>
  )
}
