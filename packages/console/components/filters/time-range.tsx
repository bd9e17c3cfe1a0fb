import { useMemo } from 'react'
import { t } from '../../language/t.ts'
import { DateTimeInput } from '../forms/date-time-input.tsx'
import { readTimeRange, type TimeBounds, type TimeValues } from './filter-params.ts'
import { FilterSelect } from './filter-select.tsx'
import { RECENT_TIMES, startOf } from './recent-times.ts'

const CUSTOM = 'custom'

/**
 * The time range in the query parameters. A range relative to now is computed once, so that it stays the same while
 * the reader looks at it.
 */
export function useTimeRange(values: TimeValues): TimeBounds {
  const recent = RECENT_TIMES.find(({ value }) => value === values.within)
  const start = useMemo(() => recent && startOf(recent).toISOString(), [recent])
  return start ? { since: start } : (readTimeRange(values) ?? {})
}

interface TimeRangeProps {
  /** Whose time it is. */
  readonly label?: string
  readonly values: TimeValues
  set(values: Partial<TimeValues>): void
}

/** Picks a recent time range or a custom one, in the reader's zone. */
export function TimeRange({ label = t('Time'), values, set }: TimeRangeProps) {
  const { within, since, until } = values
  const isCustom = within === CUSTOM || since !== null || until !== null
  const times = RECENT_TIMES.map((time) => ({ value: time.value, label: t(time.label) }))
  return (
    <>
      <FilterSelect
        label={label}
        w={150}
        data={[...times, { value: CUSTOM, label: 'From … to …' }]}
        value={isCustom ? CUSTOM : within}
        onChange={(value) => set({ within: value, since: null, until: null })}
      />
      {isCustom &&
        (['since', 'until'] as const).map((name) => (
          <DateTimeInput
            key={name}
            size="xs"
            label={name === 'since' ? t('From') : t('To')}
            value={values[name]}
            onChange={(at) => set({ within: CUSTOM, [name]: at })}
          />
        ))}
    </>
  )
}
