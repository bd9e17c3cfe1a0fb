import { Anchor, Skeleton, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { Link } from 'react-router'
import { useRead } from '../../api/use-read.ts'
import { Section } from '../../components/page/section.tsx'
import { QueryError } from '../../components/query-error.tsx'
import { DeliveryEventDocument } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { SendCopy } from '../copy/send-copy.tsx'

const EventBody = lazy(() =>
  import('../../events/event-body.tsx').then((m) => ({ default: m.EventBody })),
)

/** The body of every attempt of a delivery. Events are immutable, so the cache is always current. */
export function DeliveryEvent({ deliveryId }: { deliveryId: string }) {
  const { data, error, reload } = useRead(
    DeliveryEventDocument,
    { id: deliveryId },
    { requestPolicy: 'cache-first' },
  )
  const event = data?.delivery?.event
  const { can, deliveryId: onlyDelivery } = useSession()
  const maySend = can('deliveries:write')
  return (
    <Section
      title={t('Payload')}
      description={
        event &&
        onlyDelivery === null && (
          <Anchor component={Link} to={`/events/${event.id}`} className="ph-mono" inherit>
            {event.id}
          </Anchor>
        )
      }
      actions={event && maySend && <SendCopy deliveryId={deliveryId} />}
    >
      {error && !data && <QueryError error={error} reload={reload} />}
      {!data && !error && <Skeleton h={120} />}
      {data && !event && <Text size="sm">{t('The event is past its retention period.')}</Text>}
      {event && (
        <Suspense fallback={<Skeleton h={120} />}>
          <EventBody body={event.body} />
        </Suspense>
      )}
    </Section>
  )
}
