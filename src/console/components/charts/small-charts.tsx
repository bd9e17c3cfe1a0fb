import type { BucketUnit } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatCompact, formatPercent } from '../../lib/format.ts'
import type { Bar } from './buckets/fold-buckets.ts'
import { p95s, perRate, rateOf, rates, successRates } from './buckets/series.ts'
import { formatLatency } from './latency-chart.tsx'
import { LineChart } from './line-chart.tsx'

interface SmallChartProps {
  readonly bars: readonly Bar[]
  readonly unit: BucketUnit
  readonly heightPx: number
  zoom?: (since: string, until: string) => void
}

/** One of several lines, such as of a webhook among others. */
export interface LineOf {
  readonly label: string
  readonly color: string
  readonly dashes?: string | undefined
  readonly bars: readonly Bar[]
}

/** Even steps between these, so that 98.9 and 99.9 % do not look alike. */
const SHARES = [0, 0.9, 0.99, 0.999, 1]

/** `lines`: by default one, of the bars. */
export function SuccessChart(props: SmallChartProps & { lines?: readonly LineOf[] }) {
  const own = [{ label: t('Success rate'), color: 'var(--posthorn-chart-2xx)', bars: props.bars }]
  return (
    <LineChart
      {...props}
      title={t('Success rate')}
      label={t('Success rate over time.')}
      ticks={SHARES}
      format={formatPercent}
      lines={(props.lines ?? own).map((line) => ({ ...line, values: successRates(line.bars) }))}
    />
  )
}

export function P95Chart(props: SmallChartProps & { lines: readonly LineOf[] }) {
  return (
    <LineChart
      {...props}
      title={t('Response time, p95')}
      label={t('p95 of the response time over time.')}
      format={formatLatency}
      lines={props.lines.map((line) => ({ ...line, values: p95s(line.bars) }))}
    />
  )
}

/** Attempts per second, minute or hour. */
export function ThroughputChart(props: SmallChartProps & { lines?: readonly LineOf[] }) {
  const nowMs = Date.now()
  const own = [{ label: t('Throughput'), color: 'var(--posthorn-mark-blue)', bars: props.bars }]
  const lines = (props.lines ?? own).map((line) => ({ ...line, values: rates(line.bars, nowMs) }))
  const rate = rateOf(lines.map(({ values }) => values))
  return (
    <LineChart
      {...props}
      title={THROUGHPUT[rate.per].title}
      label={THROUGHPUT[rate.per].label}
      format={formatRate}
      lines={lines.map((line) => ({ ...line, values: perRate(line.values, rate) }))}
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
