import { Anchor, Button, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { Link, useParams } from 'react-router'
import { useRead } from '../api/use-read.ts'
import { Id } from '../components/copy-button.tsx'
import { JsonView } from '../components/json/json-view.tsx'
import { List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Facts } from '../components/page/facts.tsx'
import { Page } from '../components/page/page.tsx'
import { Section } from '../components/page/section.tsx'
import { DetailSkeleton } from '../components/page/skeletons.tsx'
import { QueryError } from '../components/query-error.tsx'
import { Time } from '../components/time.tsx'
import { deliveredText, failedOf, othersOf } from '../deliveries/event/delivered-text.ts'
import { RedeliverFailed } from '../deliveries/event/redeliver-failed.tsx'
import { deliveryColumns, TestBadge } from '../deliveries/list/delivery-columns.tsx'
import { useLiveDeliveries } from '../deliveries/list/use-live-deliveries.ts'
import { EventCountsDocument, EventDeliveriesDocument } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { formatCount } from '../lib/format.ts'
import { useSession } from '../session/session.tsx'
import NotFoundPage from '../shell/not-found-page.tsx'
import { useActivity } from '../webhooks/health/use-health-changes.ts'
import { eventQuery } from './events-query.ts'
import { notKeptText } from './not-kept-text.ts'
import { WhatHasChanged } from './what-has-changed.tsx'

const BREADCRUMBS = [[t('Events'), '/events']] as const

export default function EventPage() {
  const { id = '' } = useParams()
  const { can } = useSession()
  // Events are immutable, until they are erased.
  const { data, error, reload } = useRead(
    eventQuery.query,
    { id },
    { requestPolicy: 'cache-first' },
  )
  const event = data?.event
  if (data && !event) return <NotFoundPage noun="event" />
  if (!event) {
    return (
      <Page title="Event" breadcrumbs={BREADCRUMBS}>
        {error ? <QueryError error={error} reload={reload} /> : <DetailSkeleton />}
      </Page>
    )
  }
  const { erasedAt, dataText, payloadState } = event
  return (
    <Page title={event.type.name} breadcrumbs={BREADCRUMBS} aside={event.isTest && <TestBadge />}>
      <Section title="Event">
        <Facts
          facts={[
            { label: t('Id'), value: <Id id={event.id} /> },
            {
              label: 'Type',
              value: (
                <Anchor
                  component={Link}
                  to={`/event-types/${encodeURIComponent(event.type.name)}`}
                  inherit
                >
                  {event.type.name}
                </Anchor>
              ),
            },
            event.isTest && { label: t('Test'), value: 'A test event.' },
            { label: 'Occurred', value: <Time at={event.occurredAt} /> },
            { label: 'Published', value: <Time at={event.publishedAt} /> },
            erasedAt !== null && {
              label: payloadState === 'ERASED' ? t('Erased') : 'Payload erased',
              value: <Time at={erasedAt} />,
            },
            event.traceparent != null && {
              label: 'Trace context (traceparent)',
              value: <Id id={event.traceparent} />,
            },
          ]}
        />
      </Section>
      {can('deliveries:read') && <EventDeliveries id={event.id} />}
      <WhatHasChanged {...event} />
      <Section title={t('Payload')}>
        {dataText === null && (
          <Text size="sm">
            {payloadState === 'ERASED' ? 'The payload was erased.' : notKeptText(event.unkeptBytes)}
          </Text>
        )}
        {dataText !== null && (
          <JsonView
            label="Data"
            text={dataText}
            note="As published. The page of a delivery has the body that was sent."
          />
        )}
      </Section>
    </Page>
  )
}

const COLUMNS = deliveryColumns('event')

function EventDeliveries({ id }: { id: string }) {
  const { can } = useSession()
  const withWebhook = can('webhooks:read')
  const [asked, setAsked] = useState<string | null>(null)
  const cursors = useCursors()
  const context = useMemo(() => ({ additionalTypenames: ['Delivery'] }), [])
  const { data, ...read } = useRead(
    EventDeliveriesDocument,
    { id, ...cursors.variables, withWebhook },
    { context },
  )
  const counted = useRead(EventCountsDocument, { id }, { context })
  useActivity(null, counted.reload)
  const counts = counted.data?.event?.deliveryCounts
  const deliveries = data?.event?.deliveries
  const failed = counts ? failedOf(counts) : 0
  const { rows } = useLiveDeliveries({ rows: deliveries?.nodes, withWebhook, countNewer: false })
  return (
    <Section
      title={t('Deliveries')}
      description={
        counts && counts.total > 0
          ? [deliveredText(counts), othersOf(counts)].filter(Boolean).join(', ')
          : 'One delivery for each webhook that was enabled and subscribed to the event type.'
      }
      actions={
        failed > 0 &&
        can('deliveries:write') && (
          <Button size="xs" variant="default" onClick={() => setAsked(id)}>
            {`Redeliver the ${formatCount(failed)} failed`}
          </Button>
        )
      }
    >
      <RedeliverFailed eventId={asked} onClose={() => setAsked(null)} />
      <List
        label="Deliveries of the event"
        columns={COLUMNS}
        rows={rows}
        keyOf={(row) => row.id}
        to={(row) => `/deliveries/${row.id}`}
        {...read}
        pages={{ info: deliveries?.pageInfo, cursors }}
        empty={
          <EmptyState title="No deliveries">
            No enabled webhook subscribed to this event type when the event was published. To send
            the event to a webhook, open the webhook and choose “Recover deliveries”.
          </EmptyState>
        }
      />
    </Section>
  )
}
