import { type AttemptTimeValues, attemptTimeOf } from './read-time-range.ts'
import { TimeRange, useTimeRange } from './time-range.tsx'

export function useAttemptTime(values: AttemptTimeValues) {
  return useTimeRange(attemptTimeOf(values))
}

interface AttemptTimeProps {
  readonly values: AttemptTimeValues
  set(values: Partial<AttemptTimeValues>): void
}

/** Picks the time of attempts: a delivery of yesterday can have failed a minute ago. */
export function AttemptTime({ values, set }: AttemptTimeProps) {
  return (
    <TimeRange
      label="Attempted"
      values={attemptTimeOf(values)}
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
