import { formatCount } from '../../format.ts'

/** The server stops counting here. */
const MAX_COUNTED = 10_000

/** The size of a webhook's backlog, such as "2,310" or "10,000 or more". */
export function formatParked(count: number | null | undefined): string {
  const counted = count ?? 0
  return counted < MAX_COUNTED ? formatCount(counted) : `${formatCount(counted)} or more`
}
