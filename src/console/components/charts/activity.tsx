import { Title } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { formatCompact, formatPercent } from '../../format.ts'
import type { BucketUnit } from '../../generated/graphql.ts'
import { t } from '../../strings/t.ts'
import { AttemptsChart } from './attempts-chart.tsx'
import { foldBuckets } from './fold-buckets.ts'
import { LatencyChart } from './latency-chart.tsx'
import { LinePlot } from './line-plot.tsx'
import type { PlotMark } from './plot.tsx'
import type { AttemptBucket } from './status-classes.ts'

const SMALL_HEIGHT_PX = 120
/** The width that a bar needs. */
const BAR_PX = 7

interface ActivityProps {
  /** Oldest first, including buckets without attempts. */
  readonly buckets: readonly AttemptBucket[]
  readonly unit: BucketUnit
  readonly webhookId?: string
  readonly marks?: readonly PlotMark[]
  zoom(since: string, until: string): void
}

/** The attempts of a time range: their responses, and beside them success rate, throughput and latency. */
export function Activity({ buckets, unit, webhookId, marks, zoom }: ActivityProps) {
  const { ref, width } = useElementSize()
  const bars = foldBuckets(buckets, unit, Math.max(12, Math.floor((width || 900) / BAR_PX)))
  const few = foldBuckets(buckets, unit, 48)
  const perSecond = few.map(
    ({ attempts, start, end }) =>
      (1_000 * attempts) / (Math.min(Date.parse(end), Date.now()) - Date.parse(start)),
  )
  return (
    <div className="ph-activity" ref={ref}>
      <AttemptsChart
        bars={bars}
        unit={unit}
        webhookId={webhookId}
        marks={marks ?? []}
        zoom={zoom}
      />
      <div className="ph-activity-small">
        <Small title={t('charts.successRate')}>
          <LinePlot
            label={t('charts.successRateLabel')}
            bars={few}
            unit={unit}
            heightPx={SMALL_HEIGHT_PX}
            least={1}
            whole={false}
            format={formatPercent}
            zoom={zoom}
            lines={[
              {
                label: t('charts.successRate'),
                color: 'var(--posthorn-chart-2xx)',
                values: few.map(({ attempts, succeeded }) =>
                  attempts === 0 ? null : succeeded / attempts,
                ),
              },
            ]}
          />
        </Small>
        <Small title={t('charts.throughput')}>
          <LinePlot
            label={t('charts.throughputLabel')}
            bars={few}
            unit={unit}
            heightPx={SMALL_HEIGHT_PX}
            whole={false}
            format={(value) => t('charts.perSecond', { value: formatRate(value) })}
            zoom={zoom}
            lines={[
              {
                label: t('charts.throughput'),
                color: 'var(--posthorn-chart-line)',
                values: perSecond,
              },
            ]}
          />
        </Small>
        <Small title={t('charts.latency.title')}>
          <LatencyChart bars={few} unit={unit} heightPx={SMALL_HEIGHT_PX} zoom={zoom} />
        </Small>
      </div>
    </div>
  )
}

/** Three significant digits below 10, as rates are often small. */
function formatRate(value: number): string {
  return value < 10 ? String(Number(value.toPrecision(3))) : formatCompact(value)
}

function Small({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={3} size="h6" mb={6}>
        {title}
      </Title>
      {children}
    </section>
  )
}
