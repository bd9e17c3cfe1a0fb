import { t } from '../../strings/t.ts'
import { TimeRange, useTimeRange } from './time-range.tsx'

/** The query parameters of the time of attempts, beside those of the time of deliveries. */
export const ATTEMPT_TIME_FILTERS = ['attempted', 'attemptedSince', 'attemptedUntil'] as const

type Values = Readonly<Record<(typeof ATTEMPT_TIME_FILTERS)[number], string | null>>

export function useAttemptTime(values: Values) {
  return useTimeRange(asRange(values))
}

interface AttemptTimeProps {
  readonly values: Values
  set(values: Partial<Values>): void
}

/** Picks the time of attempts: a delivery of yesterday can have failed a minute ago. */
export function AttemptTime({ values, set }: AttemptTimeProps) {
  return (
    <TimeRange
      label={t('filters:time.attempted')}
      values={asRange(values)}
      set={({ within, since, until }) =>
        set({
          ...(within !== undefined && { attempted: within }),
          ...(since !== undefined && { attemptedSince: since }),
          ...(until !== undefined && { attemptedUntil: until }),
        })
      }
    />
  )
}

function asRange({ attempted, attemptedSince, attemptedUntil }: Values) {
  return { within: attempted, since: attemptedSince, until: attemptedUntil }
}
