import { Group, SegmentedControl } from '@mantine/core'
import { t } from '../../strings/t.ts'
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
            label={t('charts.range.from')}
            value={since}
            onChange={(at) => at && at < until && zoom(at, until)}
          />
          <DateTimeInput
            size="xs"
            label={t('charts.range.to')}
            value={until}
            onChange={(at) => at && at > since && zoom(since, at)}
          />
        </>
      )}
      <SegmentedControl
        size="xs"
        aria-label={t('charts.range.label')}
        data={[
          ...RANGES.map(({ value, label }) => ({ value, label })),
          { value: CUSTOM, label: t('charts.range.custom') },
        ]}
        value={range.value}
        onChange={(value) => (value === CUSTOM ? zoom(since, until) : choose(value))}
      />
      <SegmentedControl
        size="xs"
        aria-label={t('charts.zone.label')}
        data={[
          { value: 'local', label: t('charts.zone.local') },
          { value: 'utc', label: t('charts.zone.utc') },
        ]}
        value={zone}
        onChange={setTimeZone}
      />
    </Group>
  )
}
