import { StateBadge } from '../../components/state-badge.tsx'
import type { DeliveryCountsFragment } from '../../generated/graphql.ts'
import { formatCount } from '../../lib/format.ts'

type Counts = DeliveryCountsFragment

/** The server counts at most this many deliveries of an event. */
const MAX_COUNTED = 1_000

/** What came of the deliveries of an event: "24 of 38 delivered" and, below, "14 on hold". */
export function Delivered({ counts }: { counts: Counts | null }) {
  if (!counts) return null
  if (counts.total === 0) return <StateBadge label="No webhook" color="gray" />
  const rest = othersOf(counts)
  return (
    <>
      <StateBadge label={deliveredText(counts)} color={colorOf(counts)} />
      {rest && <span className="ph-below">{rest}</span>}
    </>
  )
}

/** Such as "24 of 38 delivered". */
export function deliveredText({ total, succeeded }: Counts): string {
  const of = `${formatCount(total)}${total < MAX_COUNTED ? '' : '+'}`
  return `${formatCount(succeeded)} of ${of} delivered`
}

/** Those that were not delivered, by state: "14 on hold, 2 retrying". */
export function othersOf(counts: Counts): string {
  const { total, succeeded, exhausted, canceled, retrying, waiting, onHold } = counts
  const groups: readonly [count: number, state: string][] = [
    [exhausted, 'exhausted'],
    [retrying, 'retrying'],
    [onHold, 'on hold'],
    [waiting - onHold, 'waiting'],
    [total - succeeded - exhausted - canceled - retrying - waiting, 'queued'],
    [canceled, 'canceled'],
  ]
  return groups
    .filter(([count]) => count > 0)
    .map(([count, state]) => `${formatCount(count)} ${state}`)
    .join(', ')
}

/** Those that a redelivery of the failed ones sends. */
export const failedOf = ({ exhausted, retrying }: Counts): number => exhausted + retrying

function colorOf({ total, succeeded, exhausted, canceled }: Counts): string {
  if (exhausted > 0) return 'red'
  if (succeeded + canceled < total) return 'blue'
  return succeeded > 0 ? 'green' : 'gray'
}
