import { Anchor, Skeleton } from '@mantine/core'
import { lazy, Suspense, useMemo } from 'react'
import { Link, useParams } from 'react-router'
import { useRead } from '../api/use-read.ts'
import { Id } from '../components/id.tsx'
import { List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { DetailSkeleton } from '../components/page/detail-skeleton.tsx'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Facts } from '../components/page/facts.tsx'
import { Page } from '../components/page/page.tsx'
import { Section } from '../components/page/section.tsx'
import { QueryError } from '../components/query-error.tsx'
import { Time } from '../components/time.tsx'
import { deliveryColumns, TestBadge } from '../deliveries/delivery-columns.tsx'
import { useLiveDeliveries } from '../deliveries/use-live-deliveries.ts'
import { EventDeliveriesDocument } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import NotFoundPage from '../shell/not-found-page.tsx'
import { t } from '../strings/t.ts'
import { eventQuery } from './events-query.ts'

const EventBody = lazy(() => import('./event-body.tsx').then((m) => ({ default: m.EventBody })))
const BREADCRUMBS = [[t('events:title'), '/events']] as const

export default function EventPage() {
  const { id = '' } = useParams()
  const { can } = useSession()
  // Events are immutable.
  const { data, error, reload } = useRead(
    eventQuery.query,
    { id },
    { requestPolicy: 'cache-first' },
  )
  const event = data?.event
  if (data && !event) return <NotFoundPage noun={t('events:noun')} />
  if (!event) {
    return (
      <Page title={t('events:page.event')} breadcrumbs={BREADCRUMBS}>
        {error ? <QueryError error={error} retry={reload} /> : <DetailSkeleton />}
      </Page>
    )
  }
  return (
    <Page title={event.type.name} breadcrumbs={BREADCRUMBS} aside={event.isTest && <TestBadge />}>
      <Section title={t('events:page.event')}>
        <Facts
          facts={[
            { label: t('events:page.id'), value: <Id id={event.id} /> },
            {
              label: t('events:page.type'),
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
            event.isTest && {
              label: t('events:page.test'),
              value: t('events:page.testHint'),
            },
            { label: t('events:page.occurred'), value: <Time at={event.occurredAt} /> },
            { label: t('events:page.published'), value: <Time at={event.publishedAt} /> },
            event.traceparent != null && {
              label: t('events:page.traceparent'),
              value: <Id id={event.traceparent} />,
            },
          ]}
        />
      </Section>
      {can('deliveries:read') && <EventDeliveries id={event.id} />}
      <Section title={t('events:page.payload')}>
        <Suspense fallback={<Skeleton h={240} />}>
          <EventBody body={event.body} />
        </Suspense>
      </Section>
    </Page>
  )
}

const COLUMNS = deliveryColumns('event')

function EventDeliveries({ id }: { id: string }) {
  const withWebhook = useSession().can('webhooks:read')
  const cursors = useCursors()
  const context = useMemo(() => ({ additionalTypenames: ['Delivery'] }), [])
  const { data, error, stale, reload } = useRead(
    EventDeliveriesDocument,
    { id, ...cursors.variables, withWebhook },
    { context },
  )
  const deliveries = data?.event?.deliveries
  const { rows } = useLiveDeliveries({ rows: deliveries?.nodes, withWebhook, countNewer: false })
  return (
    <Section title={t('events:page.deliveries')} description={t('events:page.deliveriesHint')}>
      <List
        label={t('events:page.deliveriesLabel')}
        columns={COLUMNS}
        rows={rows}
        keyOf={(row) => row.id}
        to={(row) => `/deliveries/${row.id}`}
        error={error}
        stale={stale}
        retry={reload}
        pages={{ info: deliveries?.pageInfo, cursors }}
        empty={
          <EmptyState title={t('events:page.noDeliveries')}>
            {t('events:page.noDeliveriesHint')}
          </EmptyState>
        }
      />
    </Section>
  )
}
