import { useRead } from '../../api/use-read.ts'
import { WhatHasChanged } from '../../events/what-has-changed.tsx'
import { DeliveryDifferenceDocument } from '../../generated/graphql.ts'

/** What has changed with the event of a delivery. Nothing for an event without previous data. */
export function DeliveryDifference({ deliveryId }: { readonly deliveryId: string }) {
  const { data } = useRead(
    DeliveryDifferenceDocument,
    { id: deliveryId },
    { requestPolicy: 'cache-first' },
  )
  const event = data?.delivery?.event
  return event ? <WhatHasChanged {...event} /> : null
}
