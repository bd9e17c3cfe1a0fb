import { Group, SegmentedControl } from '@mantine/core'
import { useSearchParams } from 'react-router'
import { t } from '../../language/t.ts'
import { changedParams } from '../../lib/changed-params.ts'
import { setTimeZone, useTimeZone } from '../../lib/time-zone.ts'
import { DEFAULT_RANGE, RANGES, rangeOf } from './chart-range.ts'

/** Picks the time range of a page's chart, and the zone of all times. */
export function RangeSwitch({ range, choose }: ReturnType<typeof useRange>) {
  return (
    <Group gap="xs">
      <SegmentedControl
        size="xs"
        aria-label={t('Time range')}
        data={RANGES.map(({ value, label }) => ({ value, label: t(label) }))}
        value={range.value}
        onChange={choose}
      />
      <SegmentedControl
        size="xs"
        aria-label={t('Time zone')}
        data={[
          { value: 'local', label: t('Local') },
          { value: 'utc', label: 'UTC' },
        ]}
        value={useTimeZone()}
        onChange={setTimeZone}
      />
    </Group>
  )
}

/** The time range of a page's chart, in its query parameters. */
export function useRange() {
  const [params, setParams] = useSearchParams()
  return {
    range: rangeOf(params.get('range')),
    choose: (chosen: string) =>
      setParams((current) =>
        changedParams(current, { range: chosen === DEFAULT_RANGE.value ? null : chosen }),
      ),
  }
}
