import { useRead } from '../../api/use-read.ts'
import type { Cursors } from '../../components/lists/use-cursors.ts'
import type { DeliveryFilter } from '../../generated/graphql.ts'
import { useSession } from '../../session/session.tsx'
import { deliveriesQuery } from '../deliveries-query.ts'
import { useLiveDeliveries } from './use-live-deliveries.ts'

interface DeliveriesOptions {
  readonly filter: DeliveryFilter
  readonly page: Cursors['variables']
  /** Whether new deliveries would appear above the rows. False on later pages. */
  readonly countNewer: boolean
}

/** A page of deliveries, with live updates. */
export function useDeliveries(options: DeliveriesOptions) {
  const { filter, page, countNewer } = options
  const withWebhook = useSession().can('webhooks:read')
  const { data, error, stale, reload } = useRead(
    deliveriesQuery.query,
    { ...page, filter, withWebhook },
    { context: deliveriesQuery.context },
  )
  const info = data?.deliveries?.pageInfo
  const { rows, newer, state } = useLiveDeliveries({
    rows: data?.deliveries?.nodes,
    filter,
    withWebhook,
    before: info?.startCursor,
    countNewer,
  })
  return { rows, newer, state, info, error, stale, reload }
}
