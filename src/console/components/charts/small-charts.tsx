import type { BucketUnit } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatCompact, formatPercent } from '../../lib/format.ts'
import type { Bar } from './buckets/fold-buckets.ts'
import { perRate, rateOf, rates, successRates } from './buckets/series.ts'
import { LineChart } from './line-chart.tsx'

interface SmallChartProps {
  readonly bars: readonly Bar[]
  readonly unit: BucketUnit
  readonly heightPx: number
  zoom?: (since: string, until: string) => void
}

/** Even steps between these, so that 98.9 and 99.9 % do not look alike. */
const SHARES = [0, 0.9, 0.99, 0.999, 1]

export function SuccessChart(props: SmallChartProps) {
  const title = t('Success rate')
  return (
    <LineChart
      {...props}
      title={title}
      label={t('Success rate over time.')}
      ticks={SHARES}
      format={formatPercent}
      lines={[
        { label: title, color: 'var(--posthorn-chart-2xx)', values: successRates(props.bars) },
      ]}
    />
  )
}

/** Attempts per second, minute or hour. */
export function ThroughputChart(props: SmallChartProps) {
  const values = rates(props.bars, Date.now())
  const rate = rateOf(values)
  return (
    <LineChart
      {...props}
      title={THROUGHPUT[rate.per].title}
      label={THROUGHPUT[rate.per].label}
      format={formatRate}
      lines={[
        {
          label: t('Throughput'),
          color: 'var(--posthorn-mark-blue)',
          values: perRate(values, rate),
        },
      ]}
    />
  )
}

const THROUGHPUT = {
  second: { title: t('Throughput per second'), label: t('Attempts per second over time.') },
  minute: { title: t('Throughput per minute'), label: t('Attempts per minute over time.') },
  hour: { title: t('Throughput per hour'), label: t('Attempts per hour over time.') },
}

/** Three significant digits below 10, as rates are often small. */
function formatRate(value: number): string {
  return value < 10 ? String(Number(value.toPrecision(3))) : formatCompact(value)
}
