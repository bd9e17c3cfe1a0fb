import type { DeliveryCountsFragment } from '../../generated/graphql.ts'
import { formatCount } from '../../lib/format.ts'

type Counts = DeliveryCountsFragment

/** Such as "24 of 38 delivered". */
export function deliveredText({ total, succeeded }: Counts): string {
  const of = `${formatCount(total)}${total < MAX_COUNTED ? '' : '+'}`
  return `${formatCount(succeeded)} of ${of} delivered`
}

/** The server counts at most this many deliveries of an event. */
const MAX_COUNTED = 1_000

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
