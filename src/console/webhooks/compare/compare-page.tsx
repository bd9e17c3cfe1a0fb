import { Stack } from '@mantine/core'
import { useMemo } from 'react'
import { useRead } from '../../api/use-read.ts'
import { foldBuckets } from '../../components/charts/buckets/fold-buckets.ts'
import { latencyOf, successRateOf, totalsOf } from '../../components/charts/buckets/totals.ts'
import { boundsOf, type ChartRange } from '../../components/charts/chart-range.ts'
import { ChartsSkeleton } from '../../components/charts/charts-skeleton.tsx'
import { RangeSwitch, useRange } from '../../components/charts/range-switch.tsx'
import { P95Chart, SuccessChart, ThroughputChart } from '../../components/charts/small-charts.tsx'
import { readList } from '../../components/filters/filter-params.ts'
import { useFilters } from '../../components/filters/use-filters.ts'
import { type Column, List } from '../../components/lists/list.tsx'
import { EmptyState } from '../../components/page/empty-state.tsx'
import { Notice } from '../../components/page/notice.tsx'
import { Page } from '../../components/page/page.tsx'
import { Section } from '../../components/page/section.tsx'
import { useNow } from '../../components/time.tsx'
import { CompareWebhooksDocument, type CompareWebhooksQuery } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatCount, formatDuration, formatPercent } from '../../lib/format.ts'
import { WebhookState } from '../health/webhook-state.tsx'
import { webhookOption } from '../webhook-name.ts'
import { ChooseWebhooks } from './choose-webhooks.tsx'
import { LINE_LOOKS, MAX_COMPARED } from './compared-webhooks.ts'

const HEIGHT_PX = 180

/** Success, response time and throughput of several webhooks, in the same charts. */
export default function ComparePage() {
  const { values, set } = useFilters(['webhook'])
  const chosen = readList(values.webhook)
  const ids = chosen.slice(0, MAX_COMPARED)
  const range = useRange()
  const bounds = boundsOf(range.range, useNow())
  const { data, error, reload } = useRead(
    CompareWebhooksDocument,
    { ids: [...ids], ...bounds },
    { pause: ids.length === 0 },
  )
  const webhooks = useMemo(() => data?.nodes?.filter(isWebhook), [data])
  const rows = useMemo(() => webhooks?.map((webhook) => rowOf(webhook, webhooks)), [webhooks])
  return (
    <Page
      title={t('Compare webhooks')}
      breadcrumbs={[[t('Webhooks'), '/webhooks']]}
      actions={<RangeSwitch {...range} />}
    >
      <ChooseWebhooks value={values.webhook} onChange={(webhook) => set({ webhook })} />
      {chosen.length > MAX_COMPARED && (
        <Notice color="blue" title={t('The first {max} are shown', { max: MAX_COMPARED })}>
          {t('{count} webhooks are chosen. More lines could not be told apart.', {
            count: formatCount(chosen.length),
          })}
        </Notice>
      )}
      {ids.length === 0 ? (
        <EmptyState title={t('No webhooks chosen')}>
          {t('Choose up to {max} webhooks to see their lines in the same charts.', {
            max: MAX_COMPARED,
          })}
        </EmptyState>
      ) : (
        <>
          {rows && rows.length > 0 && <Charts rows={rows} range={range.range} zoom={range.zoom} />}
          {!rows && !error && <ChartsSkeleton />}
          <List
            label={t('Compared webhooks')}
            columns={COLUMNS}
            rows={rows}
            keyOf={({ webhook }) => webhook.id}
            to={({ webhook }) => `/webhooks/${webhook.id}`}
            error={error}
            reload={reload}
            empty={
              <EmptyState title={t('None of these webhooks exists')}>
                {t('They may be deleted, or belong to another organization.')}
              </EmptyState>
            }
          />
        </>
      )}
    </Page>
  )
}

type Node = NonNullable<NonNullable<CompareWebhooksQuery['nodes']>[number]>
type Webhook = Extract<Node, { __typename: 'Webhook' }>

const isWebhook = (node: Node | null): node is Webhook => node?.__typename === 'Webhook'

type Row = ReturnType<typeof rowOf>

function rowOf(webhook: Webhook, all: readonly Webhook[]) {
  const name = webhookOption(webhook)
  const same = all.filter((one) => webhookOption(one) === name)
  const buckets = webhook.statistics ?? []
  return {
    webhook,
    buckets,
    // Webhooks of the same name on the same host are numbered.
    label: same.length > 1 ? `${name} (${same.indexOf(webhook) + 1})` : name,
    look: LINE_LOOKS[all.indexOf(webhook) % LINE_LOOKS.length] ?? LINE_LOOKS[0],
    totals: totalsOf(buckets),
  }
}

interface ChartsProps {
  readonly rows: readonly Row[]
  readonly range: ChartRange
  zoom(since: string, until: string): void
}

function Charts({ rows, range: { unit }, zoom }: ChartsProps) {
  const lines = rows.map(({ label, look, buckets }) => ({
    label,
    ...look,
    bars: foldBuckets(buckets, unit, 96),
  }))
  const plot = { bars: lines[0]?.bars ?? [], unit, heightPx: HEIGHT_PX, zoom, lines }
  return (
    <Section title={t('Over time')}>
      <Stack gap="lg">
        <SuccessChart {...plot} />
        <P95Chart {...plot} />
        <ThroughputChart {...plot} />
      </Stack>
    </Section>
  )
}

const COLUMNS: readonly Column<Row>[] = [
  { label: t('Webhook'), width: '50%', cell: ({ label }) => label },
  { label: t('State'), cell: ({ webhook }) => <WebhookState {...webhook} /> },
  { label: t('Attempts'), end: true, cell: ({ totals }) => formatCount(totals.attempts) },
  {
    label: t('Success rate'),
    end: true,
    cell: ({ totals }) => {
      const rate = successRateOf(totals)
      return rate === null ? '–' : formatPercent(rate)
    },
  },
  {
    label: 'p95',
    end: true,
    cell: ({ buckets }) => {
      const ms = latencyOf(buckets, 0.95)
      return ms === null ? '–' : formatDuration(ms)
    },
  },
]
