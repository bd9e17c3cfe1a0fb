import { useMemo } from 'react'
import { t } from '../../language/t.ts'
import { DateTimeInput } from '../forms/date-time-input.tsx'
import {
  readTimeRange,
  TIME_FILTERS,
  type TimeBounds,
  type TimeNames,
  type TimeValues,
} from './filter-params.ts'
import { FilterSelect } from './filter-select.tsx'
import { FILTER_TIMES, recentTime, startOf } from './recent-times.ts'

const CUSTOM = 'custom'

/**
 * The time range in the query parameters. A range relative to now is computed once, so that it stays the same while
 * the reader looks at it.
 */
export function useTimeRange(values: TimeValues, names: TimeNames = TIME_FILTERS): TimeBounds {
  const recent = recentTime(values[names[0]])
  const start = useMemo(() => recent && startOf(recent).toISOString(), [recent])
  return start ? { since: start } : (readTimeRange(values, names) ?? {})
}

interface TimeRangeProps {
  /** Whose time it is. */
  readonly label?: string
  readonly names?: TimeNames
  readonly values: TimeValues
  set(values: TimeValues): void
}

/** Picks a recent time range or a custom one, in the reader's zone. */
export function TimeRange(props: TimeRangeProps) {
  const { label = t('Time'), names = TIME_FILTERS, values, set } = props
  const [within, since, until] = names
  const isCustom = values[within] === CUSTOM || Boolean(values[since] ?? values[until])
  return (
    <>
      <FilterSelect
        label={label}
        w={150}
        data={[
          ...FILTER_TIMES.map((time) => ({ value: time.value, label: t(time.label) })),
          { value: CUSTOM, label: 'From … to …' },
        ]}
        value={isCustom ? CUSTOM : (values[within] ?? null)}
        onChange={(value) => set({ [within]: value, [since]: null, [until]: null })}
      />
      {isCustom &&
        [since, until].map((name) => (
          <DateTimeInput
            key={name}
            size="xs"
            label={name === since ? t('From') : t('To')}
            value={values[name] ?? null}
            onChange={(at) => set({ [within]: CUSTOM, [name]: at })}
          />
        ))}
    </>
  )
}
