import { FILTER_TIMES } from './recent-times.ts'

/** The query parameters of a time range. */
export const TIME_FILTERS = ['within', 'since', 'until'] as const

export type TimeValues = Readonly<Record<(typeof TIME_FILTERS)[number], string | null>>

/** The query parameters of the time of attempts, beside those of the time of deliveries. */
export const ATTEMPT_TIME_FILTERS = ['attempted', 'attemptedSince', 'attemptedUntil'] as const

export type AttemptTimeValues = Readonly<
  Record<(typeof ATTEMPT_TIME_FILTERS)[number], string | null>
>

export interface TimeBounds {
  readonly since?: string
  readonly until?: string
}

/** The range of fixed times in the query parameters. Null for a range that is relative to now. */
export function readTimeRange({ within, since, until }: TimeValues): TimeBounds | null {
  if (FILTER_TIMES.some(({ value }) => value === within)) return null
  return { ...(isTime(since) && { since }), ...(isTime(until) && { until }) }
}

export function attemptTimeOf(values: AttemptTimeValues): TimeValues {
  const { attempted, attemptedSince, attemptedUntil } = values
  return { within: attempted, since: attemptedSince, until: attemptedUntil }
}

function isTime(text: string | null): text is string {
  return text !== null && !Number.isNaN(Date.parse(text))
}
