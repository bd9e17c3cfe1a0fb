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
  const of = `${formatCount(total)}${total < MAX_COUNTED ? '' : '+'}`
  return (
    <StateBadge label={`${formatCount(succeeded)} of ${of} delivered`} color={colorOf(counts)} />
  )
}

function colorOf({ total, succeeded, exhausted, canceled }: DeliveredProps['counts']): string {
  if (exhausted > 0) return 'red'
  if (succeeded + canceled < total) return 'blue'
  return succeeded > 0 ? 'green' : 'gray'
}
