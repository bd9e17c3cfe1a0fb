import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useParams, useSearchParams } from 'react-router'
import { useRead } from '../../api/use-read.ts'
import { LiveBadge } from '../../components/live-badge.tsx'
import { Page } from '../../components/page/page.tsx'
import { Section } from '../../components/page/section.tsx'
import { DetailSkeleton } from '../../components/page/skeletons.tsx'
import { QueryError } from '../../components/query-error.tsx'
import { DeliveryStateBadge } from '../../components/state-badge.tsx'
import type { DeliveryQuery } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import NotFoundPage from '../../shell/not-found-page.tsx'
import { AttemptTimeline } from '../attempt/attempt-timeline.tsx'
import { deliveryQuery, FEW_ATTEMPTS } from '../deliveries-query.ts'
import { TestBadge } from '../list/delivery-columns.tsx'
import { useDeliveryActions } from './delivery-actions.tsx'
import { DeliveryBody } from './delivery-body.tsx'
import { DeliveryFacts } from './delivery-facts.tsx'
import { ScheduleLine } from './schedule-line.tsx'
import { useLiveDelivery } from './use-live-delivery.ts'
import { WaitingNotice } from './waiting-notice.tsx'

const MOST_ATTEMPTS = 100

export default function DeliveryPage() {
  const { id = '' } = useParams()
  const withWebhook = useSession().can('webhooks:read')
  const [attempts, setAttempts] = useState(FEW_ATTEMPTS)
  const { data, error, reload } = useRead(deliveryQuery.query, { id, attempts, withWebhook })
  const delivery = data?.delivery
  if (delivery) {
    return (
      <Delivery
        delivery={delivery}
        reload={reload}
        showEarlier={
          attempts < MOST_ATTEMPTS && delivery.attempts?.pageInfo.hasNextPage
            ? () => setAttempts(MOST_ATTEMPTS)
            : null
        }
      />
    )
  }
  if (data) return <NotFoundPage noun="delivery" />
  return (
    <Page title={t('Delivery')} breadcrumbs={breadcrumbs()}>
      {error ? <QueryError error={error} reload={reload} /> : <DetailSkeleton />}
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
  const [newest] = useState(attempts[0]?.id ?? null)
  const open = (id: string | null) => setParams({ attempt: id ?? 'none' }, { replace: true })

  return (
    <Page
      title={delivery.eventType.name}
      breadcrumbs={breadcrumbs()}
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
      <DeliveryFacts delivery={delivery} />
      {attempts.length + delivery.plannedAttempts.length > 0 && (
        <Section title={t('Schedule')}>
          <ScheduleLine delivery={delivery} attempts={attempts.toReversed()} open={open} />
        </Section>
      )}
      <Section title={t('Attempts')}>
        {attempts.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('No attempts yet.')}
          </Text>
        ) : (
          <Stack gap="xs">
            <AttemptTimeline
              attempts={attempts}
              opened={params.get('attempt') ?? newest}
              open={open}
            />
            {showEarlier && (
              <Button size="xs" variant="subtle" onClick={showEarlier}>
                {t('Show earlier attempts')}
              </Button>
            )}
            {!showEarlier && delivery.attempts?.pageInfo.hasNextPage && (
              <Text size="xs" c="dimmed">
                {`Only the last ${MOST_ATTEMPTS} attempts are shown.`}
              </Text>
            )}
          </Stack>
        )}
      </Section>
      {can('events:read') && <DeliveryBody deliveryId={delivery.id} />}
    </Page>
  )
}

const breadcrumbs = () => [[t('Deliveries'), '/deliveries']] as const
