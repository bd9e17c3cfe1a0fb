import { Group, SegmentedControl } from '@mantine/core'
import { setTimeZone, useTimeZone } from '../../time-zone.ts'
import { DateTimeInput } from '../forms/date-time-input.tsx'
import { boundsOf, CUSTOM, RANGES } from './chart-range.ts'
import type { useRange } from './use-range.ts'

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
            label="From"
            value={since}
            onChange={(at) => at && at < until && zoom(at, until)}
          />
          <DateTimeInput
            size="xs"
            label="To"
            value={until}
            onChange={(at) => at && at > since && zoom(since, at)}
          />
        </>
      )}
      <SegmentedControl
        size="xs"
        aria-label="Time range"
        data={[
          ...RANGES.map(({ value, label }) => ({ value, label })),
          { value: CUSTOM, label: 'Custom' },
        ]}
        value={range.value}
        onChange={(value) => (value === CUSTOM ? zoom(since, until) : choose(value))}
      />
      <SegmentedControl
        size="xs"
        aria-label="Time zone"
        data={[
          { value: 'local', label: 'Local' },
          { value: 'utc', label: 'UTC' },
        ]}
        value={zone}
        onChange={setTimeZone}
      />
    </Group>
  )
}
