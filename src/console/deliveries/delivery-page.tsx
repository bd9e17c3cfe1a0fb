import { Skeleton, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useParams, useSearchParams } from 'react-router'
import { useRead } from '../api/use-read.ts'
import { LiveBadge } from '../components/live-badge.tsx'
import { Page } from '../components/page/page.tsx'
import { Section } from '../components/page/section.tsx'
import { QueryError } from '../components/query-error.tsx'
import { DeliveryStateBadge } from '../components/state-badge.tsx'
import { DeliveryDocument, type DeliveryQuery } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import NotFoundPage from '../shell/not-found-page.tsx'
import { AttemptTimeline } from './attempt-timeline.tsx'
import { useDeliveryActions } from './delivery-actions.tsx'
import { TestBadge } from './delivery-columns.tsx'
import { DeliveryEvent } from './delivery-event.tsx'
import { DeliveryFacts } from './delivery-facts.tsx'
import { useLiveDelivery } from './use-live-delivery.ts'
import { WaitingNotice } from './waiting-notice.tsx'

const BREADCRUMBS = [['Deliveries', '/deliveries']] as const
const FEW_ATTEMPTS = 20
const MOST_ATTEMPTS = 100

export default function DeliveryPage() {
  const { id = '' } = useParams()
  const withWebhook = useSession().can('webhooks:read')
  const [attempts, setAttempts] = useState(FEW_ATTEMPTS)
  const { data, error, reload } = useRead(DeliveryDocument, { id, attempts, withWebhook })
  const delivery = data?.delivery
  if (delivery) {
    return (
      <Delivery
        delivery={delivery}
        reload={reload}
        showEarlier={
          attempts < MOST_ATTEMPTS && delivery.attempts?.pageInfo.hasPreviousPage
            ? () => setAttempts(MOST_ATTEMPTS)
            : null
        }
      />
    )
  }
  if (data) return <NotFoundPage noun="delivery" />
  return (
    <Page title="Delivery" breadcrumbs={BREADCRUMBS}>
      {error ? <QueryError error={error} retry={reload} /> : <Skeleton h={420} />}
    </Page>
  )
}

interface DeliveryProps {
  readonly delivery: NonNullable<DeliveryQuery['delivery']>
  readonly showEarlier: (() => void) | null
  reload(): void
}

function Delivery({ delivery, showEarlier, reload }: DeliveryProps) {
  const { can } = useSession()
  const live = useLiveDelivery(delivery, reload)
  const { buttons, error } = useDeliveryActions(delivery)
  const attempts = delivery.attempts?.nodes ?? []
  const [params, setParams] = useSearchParams()
  // The newest attempt is open initially. A later attempt does not close what the reader looks at.
  const [newest] = useState(attempts.at(-1)?.id ?? null)

  return (
    <Page
      title={delivery.eventType}
      breadcrumbs={BREADCRUMBS}
      aside={
        <>
          <DeliveryStateBadge state={delivery.state} />
          {delivery.isTest && <TestBadge />}
          <LiveBadge state={live} />
        </>
      }
      actions={buttons}
    >
      {error}
      <WaitingNotice delivery={delivery} />
      <Section title="Delivery">
        <DeliveryFacts delivery={delivery} />
      </Section>
      <Section
        title="Attempts"
        description="Oldest first. Open an attempt to see its request and response."
      >
        {attempts.length === 0 ? (
          <Text size="sm" c="dimmed">
            No attempts yet.
          </Text>
        ) : (
          <Stack gap="xs">
            <AttemptTimeline
              attempts={attempts}
              opened={params.get('attempt') ?? newest}
              open={(id) => setParams({ attempt: id ?? 'none' }, { replace: true })}
              earlier={showEarlier && { show: showEarlier }}
            />
            {!showEarlier && delivery.attempts?.pageInfo.hasPreviousPage && (
              <Text size="xs" c="dimmed">
                Only the last {MOST_ATTEMPTS} attempts are shown.
              </Text>
            )}
          </Stack>
        )}
      </Section>
      {can('events:read') && <DeliveryEvent deliveryId={delivery.id} />}
    </Page>
  )
}
