import { StateBadge } from '../components/state-badge.tsx'
import { formatCount } from '../format.ts'

/** The server counts at most this many deliveries of an event. */
const MAX_COUNTED = 1_000

interface DeliveredProps {
  readonly counts: {
    readonly total: number
    readonly succeeded: number
    readonly exhausted: number
    readonly canceled: number
  }
}

/** What came of the deliveries of an event: "3 of 4 delivered". */
export function Delivered({ counts }: DeliveredProps) {
  const { total, succeeded } = counts
  if (total === 0) return <StateBadge label="No webhook" color="gray" />
  const key = total < MAX_COUNTED ? 'delivered' : 'deliveredOfMany'
  return <StateBadge label={LABELS[key](succeeded, total)} color={colorOf(counts)} />
}

const LABELS = {
  delivered: (succeeded: number, total: number) =>
    `${formatCount(succeeded)} of ${formatCount(total)} delivered`,
  deliveredOfMany: (succeeded: number, total: number) =>
    `${formatCount(succeeded)} of ${formatCount(total)}+ delivered`,
}

function colorOf({ total, succeeded, exhausted, canceled }: DeliveredProps['counts']): string {
  if (exhausted > 0) return 'red'
  if (succeeded + canceled < total) return 'blue'
  return succeeded > 0 ? 'green' : 'gray'
}
