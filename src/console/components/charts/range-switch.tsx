import { Group, SegmentedControl } from '@mantine/core'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { t } from '../../language/t.ts'
import { changedParams } from '../../lib/changed-params.ts'
import { setTimeZone, useTimeZone } from '../../lib/time-zone.ts'
import { DateTimeInput } from '../forms/date-time-input.tsx'
import { boundsOf, type ChartRange, CUSTOM, DEFAULT_RANGE, RANGES, rangeOf } from './chart-range.ts'

type RangeSwitchProps = ReturnType<typeof useRange>

/** Picks the time range of a page's charts, and the zone of all times. */
export function RangeSwitch({ range, choose, zoom }: RangeSwitchProps) {
  const zone = useTimeZone()
  const { since, until } = boundsOf(range, Date.now())
  const isCustom = range.value === CUSTOM
  return (
    <Group gap="xs" align="end">
      {isCustom && (
        <>
          <DateTimeInput
            size="xs"
            label={t('From')}
            value={since}
            onChange={(at) => at && at < until && zoom(at, until)}
          />
          <DateTimeInput
            size="xs"
            label={t('To')}
            value={until}
            onChange={(at) => at && at > since && zoom(since, at)}
          />
        </>
      )}
      <SegmentedControl
        size="xs"
        aria-label={t('Time range')}
        data={[
          ...RANGES.map(({ value, label }) => ({ value, label: t(label) })),
          { value: CUSTOM, label: t('Custom') },
        ]}
        value={range.value}
        onChange={(value) => (value === CUSTOM ? zoom(since, until) : choose(value))}
      />
      <SegmentedControl
        size="xs"
        aria-label={t('Time zone')}
        data={[
          { value: 'local', label: t('Local') },
          { value: 'utc', label: 'UTC' },
        ]}
        value={zone}
        onChange={setTimeZone}
      />
    </Group>
  )
}

/** The time range of a page's charts, in its query parameters. A change is a step in the history, so Back undoes a zoom. */
export function useRange() {
  const [params, setParams] = useSearchParams()
  const [value, from, to] = ['range', 'from', 'to'].map((name) => params.get(name))
  const range: ChartRange = useMemo(
    () => rangeOf(value ?? null, from ?? null, to ?? null),
    [value, from, to],
  )

  const change = (changes: Readonly<Record<'range' | 'from' | 'to', string | null>>) =>
    setParams((current) => changedParams(current, changes))

  return {
    range,
    choose: (chosen: string) =>
      change({ range: chosen === DEFAULT_RANGE.value ? null : chosen, from: null, to: null }),
    zoom: (since: string, until: string) => change({ range: null, from: since, to: until }),
  }
}
