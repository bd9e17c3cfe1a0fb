import type { DeliveryCountsFragment } from '../../generated/graphql.ts'
import { key, t } from '../../language/t.ts'
import { formatCount } from '../../lib/format.ts'

type Counts = DeliveryCountsFragment

/** Such as "24 of 38 delivered". */
export function deliveredText({ total, succeeded }: Counts): string {
  const of = `${formatCount(total)}${total < MAX_COUNTED ? '' : '+'}`
  return t('{count} of {total} delivered', { count: formatCount(succeeded), total: of })
}

/** The server counts at most this many deliveries of an event. */
const MAX_COUNTED = 1_000

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

/** Those that a redelivery of the failed ones sends. */
export const failedOf = ({ exhausted, retrying }: Counts): number => exhausted + retrying
