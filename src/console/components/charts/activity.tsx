import { Title } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import type { ReactNode } from 'react'
import type { BacklogBucketFragment, BucketUnit } from '../../generated/graphql.ts'
import { formatCompact, formatPercent } from '../../lib/format.ts'
import { AttemptsBy } from './attempts-by.tsx'
import { type Bar, foldBuckets } from './buckets/fold-buckets.ts'
import type { AttemptBucket } from './buckets/status-classes.ts'
import { LatencyChart } from './latency-chart.tsx'
import { LinePlot } from './plot/line-plot.tsx'
import type { PlotMark } from './plot/plot.tsx'

const SMALL_HEIGHT_PX = 120
/** The width that a bar needs. */
const BAR_PX = 7

interface ActivityProps {
  /** Oldest first, including buckets without attempts. */
  readonly buckets: readonly AttemptBucket[]
  /** The backlog in the same buckets. */
  readonly backlog?: readonly BacklogBucketFragment[] | null | undefined
  readonly unit: BucketUnit
  readonly webhookId?: string
  readonly marks?: readonly PlotMark[] | undefined
  zoom(since: string, until: string): void
}

/** The attempts of a time range: their responses, and beside them success rate, throughput, backlog and latency. */
export function Activity({ buckets, backlog, unit, webhookId, marks, zoom }: ActivityProps) {
  const { ref, width } = useElementSize()
  const bars = foldBuckets(buckets, unit, Math.max(12, Math.floor((width || 900) / BAR_PX)))
  const few = foldBuckets(buckets, unit, 48)
  const plot = { bars: few, unit, heightPx: SMALL_HEIGHT_PX, zoom }
  const perSecond = few.map(
    ({ attempts, start, end }) =>
      (1_000 * attempts) / (Math.min(Date.parse(end), Date.now()) - Date.parse(start)),
  )
  return (
    <div className="ph-activity" ref={ref}>
      <AttemptsBy bars={bars} unit={unit} webhookId={webhookId} marks={marks ?? []} zoom={zoom} />
      <div className="ph-activity-small">
        <Small title="Success rate">
          <LinePlot
            {...plot}
            label="Success rate over time."
            least={1}
            whole={false}
            format={formatPercent}
            lines={[
              {
                label: 'Success rate',
                color: 'var(--posthorn-chart-2xx)',
                values: few.map(({ attempts, succeeded }) =>
                  attempts === 0 ? null : succeeded / attempts,
                ),
              },
            ]}
          />
        </Small>
        <Small title="Throughput">
          <LinePlot
            {...plot}
            label="Attempts per second over time."
            whole={false}
            format={(value) => `${formatRate(value)}/s`}
            lines={[{ label: 'Throughput', color: 'var(--posthorn-mark-blue)', values: perSecond }]}
          />
        </Small>
        {backlog && (
          <Small title="Backlog">
            <LinePlot
              {...plot}
              label="Waiting deliveries over time, counted once a minute."
              format={formatCompact}
              lines={[
                {
                  label: 'Waiting',
                  color: 'var(--posthorn-chart-3xx)',
                  values: few.map((bar) => largestIn(bar, backlog)),
                },
              ]}
            />
          </Small>
        )}
        <Small title="Latency">
          <LatencyChart {...plot} />
        </Small>
      </div>
    </div>
  )
}

/** The largest backlog within a bar. */
function largestIn({ start, end }: Bar, backlog: readonly BacklogBucketFragment[]): number {
  const [from, to] = [Date.parse(start), Date.parse(end)]
  const within = backlog.filter(
    (one) => Date.parse(one.start) >= from && Date.parse(one.start) < to,
  )
  return Math.max(0, ...within.map(({ waiting }) => waiting))
}

/** Three significant digits below 10, as rates are often small. */
function formatRate(value: number): string {
  return value < 10 ? String(Number(value.toPrecision(3))) : formatCompact(value)
}

function Small({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <Title order={3} size="h6" mb={6}>
        {title}
      </Title>
      {children}
    </div>
  )
}
