import { Anchor, Text } from '@mantine/core'
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
import { deliveredText, othersOf } from '../deliveries/event/delivered.tsx'
import { RedeliverFailed } from '../deliveries/event/redeliver-failed.tsx'
import { deliveryColumns, TestBadge } from '../deliveries/list/delivery-columns.tsx'
import { EventDeliveriesDocument, EventDocument } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { useSession } from '../session/session.tsx'
import NotFoundPage from '../shell/not-found-page.tsx'
import { useActivity } from '../webhooks/health/use-health-changes.ts'
import { notKeptText } from './not-kept-text.ts'
import { WhatHasChanged } from './what-has-changed.tsx'

const BREADCRUMBS = [[t('Events'), '/events']] as const

export default function EventPage() {
  const { id = '' } = useParams()
  const { can } = useSession()
  // Events are immutable, until they are erased.
  const { data, error, reload } = useRead(EventDocument, { id }, { requestPolicy: 'cache-first' })
  const event = data?.event
  if (data && !event) return <NotFoundPage noun="event" />
  if (!event) {
    return (
      <Page title="Event" breadcrumbs={BREADCRUMBS}>
        {error ? <QueryError error={error} reload={reload} /> : <DetailSkeleton />}
      </Page>
    )
  }
  const { type, isTest, erasedAt, dataText, payloadState, traceparent } = event
  return (
    <Page title={type.name} breadcrumbs={BREADCRUMBS} aside={isTest && <TestBadge />}>
      <Section title="Event">
        <Facts
          facts={[
            { label: t('Id'), value: <Id id={event.id} /> },
            {
              label: 'Type',
              value: (
                <Anchor component={Link} to={`/event-types/${type.name}`} inherit>
                  {type.name}
                </Anchor>
              ),
            },
            { label: 'Occurred', value: <Time at={event.occurredAt} /> },
            { label: 'Published', value: <Time at={event.publishedAt} /> },
            erasedAt !== null && { label: t('Erased'), value: <Time at={erasedAt} /> },
            traceparent != null && { label: 'Trace context', value: <Id id={traceparent} /> },
          ]}
        />
      </Section>
      {can('deliveries:read') && <EventDeliveries id={event.id} isTest={isTest} />}
      <WhatHasChanged {...event} />
      <Section title={t('Payload')}>
        {dataText === null ? (
          <Text size="sm">
            {payloadState === 'ERASED' ? 'The payload was erased.' : notKeptText(event.unkeptBytes)}
          </Text>
        ) : (
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
const CONTEXT = { additionalTypenames: ['Delivery'] }

function EventDeliveries({ id, isTest }: { readonly id: string; readonly isTest: boolean }) {
  const { can } = useSession()
  const cursors = useCursors()
  const { data, ...read } = useRead(
    EventDeliveriesDocument,
    { id, ...cursors.variables, withWebhook: can('webhooks:read') },
    { context: CONTEXT },
  )
  useActivity(null, read.reload)
  const { deliveries, notDelivered, deliveryCounts: counts } = data?.event ?? {}
  return (
    <Section
      title={t('Deliveries')}
      description={
        counts && counts.total > 0
          ? [deliveredText(counts), othersOf(counts)].filter(Boolean).join(', ')
          : 'One delivery for each webhook that was enabled and subscribed to the event type.'
      }
      actions={<RedeliverFailed eventId={id} counts={counts} />}
    >
      <List
        label="Deliveries of the event"
        columns={COLUMNS}
        rows={deliveries?.nodes}
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
      {/* A test event goes to one webhook only. */}
      {!isTest &&
        notDelivered?.map(({ webhookId, message }) => (
          <Text key={webhookId} size="sm">
            No delivery to{' '}
            <Anchor component={Link} to={`/webhooks/${webhookId}`} className="ph-mono" inherit>
              {webhookId}
            </Anchor>
            : {message}
          </Text>
        ))}
    </Section>
  )
}
