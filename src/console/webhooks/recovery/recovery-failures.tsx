import { useMemo } from 'react'
import { useRead } from '../../api/use-read.ts'
import { PAGE_SIZE, useCursors } from '../../components/lists/use-cursors.ts'
import { deliveryColumns } from '../../deliveries/list/delivery-columns.tsx'
import { FailedAgain } from '../../deliveries/list/failed-again.tsx'
import { RecoveryFailuresDocument, type RecoveryRowFragment } from '../../generated/graphql.ts'

const COLUMNS = deliveryColumns('webhook')
const ID = 'failed-again'

/** Where a page lists the failures of its recovery. */
export const FAILURES_HREF = `#${ID}`

/** The deliveries of a recovery that have failed again, exactly those that it counts. */
export function RecoveryFailures({ recovery }: { recovery: RecoveryRowFragment }) {
  const cursors = useCursors(PAGE_SIZE, 'failed-')
  // The count belongs to the key, so that the list is read again when more have failed.
  const context = useMemo(
    () => ({ additionalTypenames: ['Recovery'], failures: recovery.exhausted }),
    [recovery.exhausted],
  )
  const { data, error, stale, reload } = useRead(
    RecoveryFailuresDocument,
    { id: recovery.id, ...cursors.variables, withWebhook: false },
    { context, requestPolicy: 'cache-and-network' },
  )
  return (
    <FailedAgain
      id={ID}
      order={3}
      hint="Deliveries that this recovery queued and that have run out of retries since."
      empty="These deliveries are past their retention, or an earlier version of Posthorn counted them."
      columns={COLUMNS}
      connection={data?.recovery?.exhaustedDeliveries}
      cursors={cursors}
      read={{ error, stale, reload }}
    />
  )
}
