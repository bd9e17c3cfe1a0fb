import { formatCount } from './format.ts'

/** The server counts no further. */
const MAX_COUNTED = 10_000

/** A number of deliveries or webhooks that the server counted. */
export const countOf = (count: number) =>
  count < MAX_COUNTED ? formatCount(count) : `${formatCount(MAX_COUNTED)}+`
