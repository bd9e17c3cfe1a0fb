import { formatCount } from '../../format.ts'

/** So many are counted at most. */
const MAX_COUNTED = 10_000

/** How many deliveries of a webhook wait, such as "2,310" or "10,000 or more". */
export function formatParked(count: number | null | undefined): string {
  const counted = count ?? 0
  return counted < MAX_COUNTED ? formatCount(counted) : `${formatCount(counted)} or more`
}
