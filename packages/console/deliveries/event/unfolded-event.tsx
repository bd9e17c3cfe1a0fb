import { useEffect } from 'react'
import { useRead } from '../../api/use-read.ts'
import { ListTable } from '../../components/lists/list-table.tsx'
import { QueryError } from '../../components/query-error.tsx'
import { type DeliveryFilter, EventDeliveriesDocument } from '../../generated/graphql.ts'
import { useSession } from '../../session/session.tsx'
import { deliveryColumns } from '../list/delivery-columns.tsx'

const COLUMNS = deliveryColumns('event')
const MOST = 50

interface UnfoldedEventProps {
  readonly id: string
  readonly filter: DeliveryFilter
  /** Changes when the deliveries may have changed. */
  readonly round: number
}

/** The deliveries of an event that match, below its row. */
export function UnfoldedEvent({ id, filter, round }: UnfoldedEventProps) {
  const withWebhook = useSession().can('webhooks:read')
  const { data, error, reload } = useRead(
    EventDeliveriesDocument,
    { id, first: MOST, filter, withWebhook },
    { context: CONTEXT },
  )
  useEffect(() => {
    if (round > 0) reload()
  }, [round, reload])
  const deliveries = data?.event?.deliveries
  if (error && !deliveries) return <QueryError error={error} reload={reload} />
  return (
    <>
      <ListTable
        label="Deliveries of the event"
        columns={COLUMNS}
        rows={deliveries?.nodes}
        keyOf={(row) => row.id}
        to={(row) => `/deliveries/${row.id}`}
      />
      {deliveries?.pageInfo.hasNextPage && `The newest ${MOST}. The page of the event has all.`}
    </>
  )
}

const CONTEXT = { additionalTypenames: ['Delivery'] }
