import { SegmentedControl } from '@mantine/core'
import { useFilters } from '../filters/use-filters.ts'
import { type ChartRange, DEFAULT_RANGE, RANGES, rangeOf } from './chart-range.ts'

/** The time range of a page's charts, from its query parameters. */
export function useRange(): ChartRange {
  return rangeOf(useFilters(['range']).values.range)
}

export function RangeSwitch() {
  const { values, set } = useFilters(['range'])
  return (
    <SegmentedControl
      size="xs"
      aria-label="Time"
      data={RANGES.map(({ value, label }) => ({ value, label }))}
      value={rangeOf(values.range).value}
      onChange={(value) => set({ range: value === DEFAULT_RANGE.value ? null : value })}
      style={{ alignSelf: 'flex-start' }}
    />
  )
}
