import { StateBadge } from '../../components/state-badge.tsx'
import type { DeliveryCountsFragment } from '../../generated/graphql.ts'
import { key, t } from '../../language/t.ts'
import { formatCount } from '../../lib/format.ts'

type Counts = DeliveryCountsFragment

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

function colorOf({ total, succeeded, exhausted, canceled }: Counts): string {
  if (exhausted > 0) return 'red'
  if (succeeded + canceled < total) return 'blue'
  return succeeded > 0 ? 'green' : 'gray'
}

/** The server counts at most this many deliveries of an event. */
export const MAX_COUNTED = 1_000

/** Such as "24 of 38 delivered". */
export function deliveredText({ total, succeeded }: Counts): string {
  const of = `${formatCount(total)}${total < MAX_COUNTED ? '' : '+'}`
  return t('{count} of {total} delivered', { count: formatCount(succeeded), total: of })
}

/** Those that were not delivered, by state: "14 on hold, 2 retrying". */
export function othersOf(counts: Counts): string {
  const { total, succeeded, exhausted, canceled, retrying, waiting, onHold } = counts
  const groups: readonly [text: string, count: number][] = [
    [key('{count} exhausted'), exhausted],
    [key('{count} retrying'), retrying],
    [key('{count} on hold'), onHold],
    [key('{count} waiting'), waiting - onHold],
    [key('{count} queued'), total - succeeded - exhausted - canceled - retrying - waiting],
    [key('{count} canceled'), canceled],
  ]
  return groups
    .filter(([, count]) => count > 0)
    .map(([text, count]) => t(text, { count: formatCount(count) }))
    .join(', ')
}
