import { useMemo } from 'react'
import { t } from '../../language/t.ts'
import { DateTimeInput } from '../forms/date-time-input.tsx'
import {
  type CreatedValues,
  createdTimeOf,
  readTimeRange,
  type TimeBounds,
  type TimeValues,
} from './filter-params.ts'
import { FilterSelect } from './filter-select.tsx'
import { FILTER_TIMES, startOf } from './recent-times.ts'

const CUSTOM = 'custom'

/**
 * The time range in the query parameters. A range relative to now is computed once, so that it stays the same while
 * the reader looks at it.
 */
export function useTimeRange({ within, since, until }: TimeValues): TimeBounds {
  return useMemo(() => {
    const preset = FILTER_TIMES.find(({ value }) => value === within)
    if (preset) return { since: startOf(preset).toISOString() }
    return readTimeRange({ within, since, until }) ?? {}
  }, [within, since, until])
}

interface TimeRangeProps {
  /** Whose time it is. */
  readonly label?: string
  readonly values: TimeValues
  set(values: TimeValues): void
}

/** Picks a recent time range or a custom one, in the reader's zone. */
export function TimeRange({ label = t('Time'), values, set }: TimeRangeProps) {
  const { within, since, until } = values
  const isCustom = within === CUSTOM || since !== null || until !== null
  const setBounds = (bounds: Partial<TimeValues>) =>
    set({ within: CUSTOM, since, until, ...bounds })
  return (
    <>
      <FilterSelect
        label={label}
        w={150}
        data={[
          ...FILTER_TIMES.map((time) => ({ value: time.value, label: t(time.label) })),
          { value: CUSTOM, label: 'From … to …' },
        ]}
        value={isCustom ? CUSTOM : within}
        onChange={(value) => set({ within: value, since: null, until: null })}
      />
      {isCustom && (
        <>
          <DateTimeInput
            size="xs"
            label={t('From')}
            value={since}
            onChange={(at) => setBounds({ since: at })}
          />
          <DateTimeInput
            size="xs"
            label={t('To')}
            value={until}
            onChange={(at) => setBounds({ until: at })}
          />
        </>
      )}
    </>
  )
}

export const useCreatedTime = (values: CreatedValues) => useTimeRange(createdTimeOf(values))

interface CreatedTimeProps {
  readonly values: CreatedValues
  set(values: CreatedValues): void
}

/** Picks the time in which deliveries were created: a delivery of yesterday can have failed a minute ago. */
export function CreatedTime({ values, set }: CreatedTimeProps) {
  return (
    <TimeRange
      label={t('Created')}
      values={createdTimeOf(values)}
      set={({ within, since, until }) =>
        set({ created: within, createdSince: since, createdUntil: until })
      }
    />
  )
}
