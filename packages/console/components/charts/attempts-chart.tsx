import './attempts-chart.css'
import { ActionIcon, Anchor, Box, Center, Group, ScrollArea, Text, Tooltip } from '@mantine/core'
import { IconChartBar, IconTable } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { t } from '../../language/t.ts'
import { formatCompact, formatCount } from '../../lib/format.ts'
import { useTimeZone } from '../../lib/time-zone.ts'
import { type AttemptBucket, type Bar, barsOf, roundUp, totalsOf } from './buckets.ts'
import type { ChartRange } from './chart-range.ts'
import { spanOf, tickOf } from './chart-time.ts'

/** The parts of a bar, from its bottom to its top, with the filter of the page of attempts. */
const CLASSES = [
  { field: 'succeeded', filter: 'SUCCESS_2XX', label: '2xx' },
  { field: 'failed3xx', filter: 'REDIRECTION_3XX', label: '3xx' },
  { field: 'failed4xx', filter: 'CLIENT_ERROR_4XX', label: '4xx' },
  { field: 'failed5xx', filter: 'SERVER_ERROR_5XX', label: '5xx' },
  { field: 'failedWithoutResponse', filter: 'NO_RESPONSE', label: t('No response') },
] as const

/** With its legend and its times, so that loading the chart moves nothing. */
export const CHART_HEIGHT_PX = 270

/** How many bars have their time below. */
const LABELS = 4

interface AttemptsChartProps {
  /** Oldest first, including buckets without attempts. */
  readonly buckets: readonly AttemptBucket[]
  readonly range: ChartRange
  /** Attempts of this webhook only. */
  readonly webhookId?: string
}

/** Attempts over time by class of response, in bars or as a table. A part of a bar leads to its attempts. */
export function AttemptsChart({ buckets, range, webhookId }: AttemptsChartProps) {
  const [asTable, setAsTable] = useState(false)
  useTimeZone()
  const bars = barsOf(buckets, range)
  const totals = totalsOf(buckets)
  const shown = CLASSES.filter(({ field }) => field === 'succeeded' || totals[field] > 0)
  const pathOf = ({ start, end }: Bar, status?: string) =>
    `/attempts?${new URLSearchParams({
      ...(webhookId && { webhook: webhookId }),
      ...(status && { status }),
      since: start,
      until: end,
    })}`
  if (totals.attempts === 0) {
    return (
      <Center h={CHART_HEIGHT_PX}>
        <Text c="dimmed" size="sm">
          {t('No attempts in this time range.')}
        </Text>
      </Center>
    )
  }
  const Icon = asTable ? IconChartBar : IconTable
  const parts = { bars, range, shown, pathOf }
  return (
    <Box mih={CHART_HEIGHT_PX}>
      <Group justify="space-between" wrap="nowrap" mb={4} gap="xs">
        <Group gap="4px 16px" miw={0}>
          {shown.map(({ field, label }) => (
            <span key={field} className="ph-legend">
              <span className="ph-bar-part" data-class={field} />
              {label}
            </span>
          ))}
        </Group>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={asTable ? t('Show as a chart') : t('Show as a table')}
          onClick={() => setAsTable(!asTable)}
        >
          <Icon size={16} />
        </ActionIcon>
      </Group>
      {asTable ? <BarTable {...parts} /> : <Bars {...parts} />}
    </Box>
  )
}

interface BarsProps {
  readonly bars: readonly Bar[]
  readonly range: ChartRange
  readonly shown: readonly (typeof CLASSES)[number][]
  pathOf(bar: Bar, status?: string): string
}

/** For the pointer. With the keyboard and for screen readers, the table has the same links and numbers. */
function Bars({ bars, range: { unit }, shown, pathOf }: BarsProps) {
  const top = roundUp(Math.max(...bars.map(({ attempts }) => attempts)))
  const every = Math.ceil(bars.length / LABELS)
  return (
    <div className="ph-chart" aria-hidden>
      <span className="ph-chart-top">{formatCompact(top)}</span>
      <div className="ph-bars">
        {bars.map((bar) => (
          <Tooltip
            key={bar.start}
            label={<BarText bar={bar} shown={shown} title={spanOf(bar, unit)} />}
          >
            <div className="ph-bar">
              {shown.map(
                ({ field, filter }) =>
                  bar[field] > 0 && (
                    <Link
                      key={field}
                      tabIndex={-1}
                      className="ph-bar-part"
                      data-class={field}
                      style={{ height: `${(100 * bar[field]) / top}%` }}
                      to={pathOf(bar, filter)}
                    />
                  ),
              )}
            </div>
          </Tooltip>
        ))}
      </div>
      <div className="ph-chart-times">
        {bars.map(
          ({ start }, index) =>
            index % every === 0 && (
              <span key={start} style={{ insetInlineStart: `${(100 * index) / bars.length}%` }}>
                {tickOf(start, unit, bars)}
              </span>
            ),
        )}
      </div>
    </div>
  )
}

function BarText({ bar, shown, title }: { bar: Bar; title: string } & Pick<BarsProps, 'shown'>) {
  return (
    <>
      <strong>{title}</strong>
      {shown.map(
        ({ field, label }) =>
          bar[field] > 0 && <div key={field}>{`${label}: ${formatCount(bar[field])}`}</div>,
      )}
    </>
  )
}

function BarTable({ bars, range, shown, pathOf }: BarsProps) {
  return (
    <ScrollArea h={CHART_HEIGHT_PX - 34} type="auto" viewportProps={{ tabIndex: 0 }}>
      <table className="ph-chart-table" aria-label={t('Attempts')}>
        <thead>
          <tr>
            {[t('Time'), ...shown.map(({ label }) => label)].map((label) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars
            .filter(({ attempts }) => attempts > 0)
            .map((bar) => (
              <tr key={bar.start}>
                <th scope="row">
                  <Anchor component={Link} to={pathOf(bar)} inherit>
                    {spanOf(bar, range.unit)}
                  </Anchor>
                </th>
                {shown.map(({ field }) => (
                  <td key={field}>{formatCount(bar[field])}</td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </ScrollArea>
  )
}
