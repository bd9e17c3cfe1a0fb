import { useMemo } from 'react'
import { DateTimeInput } from '../forms/date-time-input.tsx'
import { FilterSelect } from './filter-select.tsx'
import { RECENT_TIMES } from './recent-times.ts'

/** What of the address says from when to when. */
export const TIME_FILTERS = ['within', 'since', 'until'] as const

type TimeValues = Readonly<Record<(typeof TIME_FILTERS)[number], string | null>>

const CUSTOM = { value: 'custom', label: 'From … to …' }

/** The times that the address names. Those that are counted back from now stay as they are while one looks. */
export function useTimeRange({ within, since, until }: TimeValues): {
  since?: string
  until?: string
} {
  return useMemo(() => {
    const preset = RECENT_TIMES.find(({ value }) => value === within)
    if (preset) return { since: new Date(Date.now() - preset.ms).toISOString() }
    return { ...(isTime(since) && { since }), ...(isTime(until) && { until }) }
  }, [within, since, until])
}

function isTime(text: string | null): text is string {
  return text !== null && !Number.isNaN(Date.parse(text))
}

interface TimeRangeProps {
  readonly values: TimeValues
  set(values: Partial<TimeValues>): void
}

/** A time up to now, or any, in the reader's zone. */
export function TimeRange({ values, set }: TimeRangeProps) {
  const { within, since, until } = values
  const isCustom = within === CUSTOM.value || since !== null || until !== null
  return (
    <>
      <FilterSelect
        label="Time"
        w={150}
        data={[...RECENT_TIMES.map(({ value, label }) => ({ value, label })), CUSTOM]}
        value={isCustom ? CUSTOM.value : within}
        onChange={(value) => set({ within: value, since: null, until: null })}
      />
      {isCustom && (
        <>
          <DateTimeInput
            size="xs"
            label="From"
            value={since}
            onChange={(at) => set({ within: CUSTOM.value, since: at })}
          />
          <DateTimeInput
            size="xs"
            label="To"
            value={until}
            onChange={(at) => set({ within: CUSTOM.value, until: at })}
          />
        </>
      )}
    </>
  )
}
