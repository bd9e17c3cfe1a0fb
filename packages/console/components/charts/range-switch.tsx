import { Group, SegmentedControl } from '@mantine/core'
import { t } from '../../language/t.ts'
import { setTimeZone, useTimeZone } from '../../lib/time-zone.ts'
import { RANGES, type useRange } from './chart-range.ts'

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
