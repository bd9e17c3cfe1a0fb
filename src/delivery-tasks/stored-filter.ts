import type { DeliveryFilter } from '../deliveries/delivery-filter.ts'

/** Restores the times of a filter that was stored as JSON. */
export function reviveFilter(stored: DeliveryFilter | null): DeliveryFilter | null {
  if (stored === null) return null
  const { anyAttempt, ...filter } = stored
  return { ...withTimes(filter), ...(anyAttempt && { anyAttempt: withTimes(anyAttempt) }) }
}

interface TimeRange {
  readonly since?: Date | null | undefined
  readonly until?: Date | null | undefined
}

function withTimes<Filter extends TimeRange>(filter: Filter): Filter {
  const { since, until } = filter
  return { ...filter, since: since && new Date(since), until: until && new Date(until) }
}
