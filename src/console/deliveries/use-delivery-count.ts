import { useRead } from '../api/use-read.ts'
import { formatCount } from '../format.ts'
import { DeliveryCountDocument, type DeliveryFilter } from '../generated/graphql.ts'

/** How many deliveries match, such as "4,312" or "10,000+". Null while unknown, and for a search key. */
export function useDeliveryCount(filter: DeliveryFilter, wanted: boolean): string | null {
  const { data } = useRead(
    DeliveryCountDocument,
    { filter },
    { pause: !wanted || filter.key != null },
  )
  const counted = data?.deliveryCount
  if (!counted) return null
  const { count, countIsExact } = counted
  return countIsExact ? formatCount(count) : `${formatCount(count)}+`
}
