import { Anchor, Text } from '@mantine/core'
import { Fragment, useState } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { useLive } from '../../api/use-live.ts'
import { usePolling } from '../../api/use-polling.ts'
import { useRead } from '../../api/use-read.ts'
import { Id } from '../../components/copy-button.tsx'
import { LiveBadge } from '../../components/live-badge.tsx'
import { Facts } from '../../components/page/facts.tsx'
import { Page } from '../../components/page/page.tsx'
import { Section } from '../../components/page/section.tsx'
import { DetailSkeleton } from '../../components/page/skeletons.tsx'
import { QueryError } from '../../components/query-error.tsx'
import { DeliveryStateBadge } from '../../components/state-badge.tsx'
import { Time } from '../../components/time.tsx'
import {
  DeliveriesAttemptRecordedDocument,
  DeliveryDocument,
  type DeliveryQuery,
} from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import NotFoundPage from '../../shell/not-found-page.tsx'
import { webhookName } from '../../webhooks/webhook-name.ts'
import { Attempts } from '../attempt/attempts.tsx'
import { isFinished } from '../delivery-states.ts'
import { TestBadge } from '../list/delivery-columns.tsx'
import { DeliveryActions } from './delivery-actions.tsx'
import { DeliveryBody } from './delivery-body.tsx'
import { WaitingNotice } from './waiting-notice.tsx'

/** No live event reports that a backlog moves on, or that somebody cancels a delivery. */
const REFRESH_EVERY_MS = 5_000
const BREADCRUMBS = [[t('Deliveries'), '/deliveries']] as const

type Delivery = NonNullable<DeliveryQuery['delivery']>

export default function DeliveryPage() {
  const { id = '' } = useParams()
  const withWebhook = useSession().can('webhooks:read')
  const { data, error, reload } = useRead(DeliveryDocument, { id, withWebhook })
  if (data?.delivery) return <OneDelivery key={id} delivery={data.delivery} reload={reload} />
  if (data) return <NotFoundPage noun="delivery" />
  return (
    <Page title={t('Delivery')} breadcrumbs={BREADCRUMBS}>
      {error ? <QueryError error={error} reload={reload} /> : <DetailSkeleton />}
    </Page>
  )
}

function OneDelivery({ delivery, reload }: { delivery: Delivery; reload(): void }) {
  const { can } = useSession()
  const { id, state, webhookId, attempts } = delivery
  usePolling(isFinished(state) ? null : REFRESH_EVERY_MS, reload)
  const live = useLive(
    DeliveriesAttemptRecordedDocument,
    { webhookId },
    {
      // A deleted webhook sends no live events.
      paused: delivery.webhook === null,
      onData: ({ attemptRecorded }) => attemptRecorded?.delivery?.id === id && reload(),
      onMissed: reload,
    },
  )
  const [params, setParams] = useSearchParams()
  // The newest attempt opens by itself, once there is one. A later attempt does not close what the reader looks at.
  const [first, setFirst] = useState<string | null>(null)
  const newest = attempts?.nodes[0]?.id ?? null
  if (first === null && newest !== null) setFirst(newest)
  return (
    <Page
      title={delivery.eventType.name}
      breadcrumbs={BREADCRUMBS}
      aside={
        <>
          <DeliveryStateBadge state={state} />
          {delivery.isTest && <TestBadge />}
          <LiveBadge state={live} />
        </>
      }
      actions={<DeliveryActions delivery={delivery} />}
    >
      <WaitingNotice delivery={delivery} />
      <DeliveryFacts delivery={delivery} />
      <Section title={t('Attempts')} description={<Planned delivery={delivery} />}>
        {attempts?.nodes.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('No attempts yet.')}
          </Text>
        )}
        <Attempts
          attempts={attempts?.nodes ?? []}
          opened={params.get('attempt') ?? first}
          open={(attempt) => setParams({ attempt: attempt ?? 'none' }, { replace: true })}
        />
        {attempts?.pageInfo.hasNextPage && (
          <Text size="xs" c="dimmed">
            {`Only the last ${attempts.nodes.length} attempts are shown.`}
          </Text>
        )}
      </Section>
      {can('events:read') && <DeliveryBody deliveryId={id} />}
    </Page>
  )
}

function DeliveryFacts({ delivery }: { delivery: Delivery }) {
  const { id, webhook, webhookId, createdAt, finishedAt, eventType } = delivery
  return (
    <Facts
      facts={[
        { label: 'Id (sent in a header of each attempt)', value: <Id id={id} /> },
        {
          label: t('Webhook'),
          value: webhook ? (
            <Anchor component={Link} to={`/webhooks/${webhookId}`} inherit>
              {webhookName(webhook)}
            </Anchor>
          ) : (
            <>
              <Id id={webhookId} />
              {webhook === null && t('Deleted')}
            </>
          ),
        },
        {
          label: t('Event type'),
          value: (
            <Anchor
              component={Link}
              to={`/event-types/${encodeURIComponent(eventType.name)}`}
              inherit
            >
              {eventType.name}
            </Anchor>
          ),
        },
        { label: t('Created'), value: <Time at={createdAt} /> },
        finishedAt != null && { label: t('Finished'), value: <Time at={finishedAt} /> },
      ]}
    />
  )
}

/** The attempts that follow if each of them fails. */
function Planned({ delivery: { state, plannedAttempts } }: { delivery: Delivery }) {
  if (state === 'EXHAUSTED') return 'No retries left.'
  if (plannedAttempts.length === 0) return null
  return (
    <>
      Planned, until one succeeds:{' '}
      {plannedAttempts.map((at, index) => (
        <Fragment key={at}>
          {index > 0 && ' · '}
          <Time at={at} as="upcoming" />
        </Fragment>
      ))}
      . Jitter and Retry-After can delay them.
    </>
  )
}
