import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { useRead } from '../../api/use-read.ts'
import { Section } from '../../components/page/section.tsx'
import { DeliveryDifferenceDocument } from '../../generated/graphql.ts'

const DataDifference = lazy(() =>
  import('../../events/difference/data-difference.tsx').then((m) => ({
    default: m.DataDifference,
  })),
)

/** What has changed with the event of a delivery. Nothing for an event without previous data. */
export function DeliveryDifference({ deliveryId }: { readonly deliveryId: string }) {
  const { data } = useRead(
    DeliveryDifferenceDocument,
    { id: deliveryId },
    { requestPolicy: 'cache-first' },
  )
  const event = data?.delivery?.event
  if (event?.previousText == null || event.dataText === null) return null
  return (
    <Section
      title="What has changed"
      description="The fields of the event that differ from before."
    >
      <Suspense fallback={<Skeleton h={80} />}>
        <DataDifference previousText={event.previousText} dataText={event.dataText} />
      </Suspense>
    </Section>
  )
}
