import { StateBadge } from '../../components/state-badge.tsx'
import type { DeliveryCountsFragment } from '../../generated/graphql.ts'
import { deliveredText, othersOf } from './delivered-text.ts'

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
