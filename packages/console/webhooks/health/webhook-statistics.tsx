import { useRead } from '../../api/use-read.ts'
import { AttemptsChart, sumOf } from '../../components/charts/attempts-chart.tsx'
import { boundsOf, useRange } from '../../components/charts/chart-range.ts'
import { RangeSwitch } from '../../components/charts/range-switch.tsx'
import { Figures } from '../../components/page/figures.tsx'
import { Section } from '../../components/page/section.tsx'
import { QueryError } from '../../components/query-error.tsx'
import { Time, useNow } from '../../components/time.tsx'
import { type WebhookDetailQuery, WebhookStatisticsDocument } from '../../generated/graphql.ts'
import { rich, t } from '../../language/t.ts'
import { countOf } from '../../lib/count-of.ts'
import { formatCount, formatDuration, formatPercent } from '../../lib/format.ts'
import { useActivity } from './use-health-changes.ts'

interface WebhookStatisticsProps {
  readonly webhook: NonNullable<WebhookDetailQuery['webhook']>
}

/** The attempts of a time range, in numbers and in a chart, and what waits now. Updated live. */
export function WebhookStatistics({ webhook }: WebhookStatisticsProps) {
  const { id, backlog, health } = webhook
  const chosen = useRange()
  const bounds = boundsOf(chosen.range, useNow())
  const { data, error, reload } = useRead(WebhookStatisticsDocument, { id, ...bounds })
  useActivity(id, reload)
  if (error && !data) return <QueryError error={error} reload={reload} />
  const buckets = data?.webhook?.statistics ?? undefined
  const latency = data?.webhook?.health?.latency
  const attempts = buckets && sumOf(buckets, 'attempts')
  return (
    <>
      <Figures
        figures={[
          {
            label: t('Attempts'),
            value: attempts === undefined ? undefined : formatCount(attempts),
          },
          {
            label: t('Success rate'),
            value:
              buckets && (attempts ? formatPercent(sumOf(buckets, 'succeeded') / attempts) : '–'),
          },
          {
            label: t('Response time, p95'),
            value: buckets && (latency ? formatDuration(latency.p95Ms) : '–'),
            note: latency && `p50 ${formatDuration(latency.p50Ms)}`,
          },
          backlog && {
            label: t('Waiting'),
            value: countOf(backlog.count),
            note:
              backlog.oldest &&
              rich('oldest {time}', {
                time: <Time at={backlog.oldest.createdAt} as="elapsed" />,
              }),
          },
          health && {
            label: t('Last success'),
            value: health.lastSuccessAt ? (
              <Time at={health.lastSuccessAt} as="relative" />
            ) : (
              t('None yet')
            ),
          },
        ]}
      />
      <Section title={t('Attempts')} actions={<RangeSwitch {...chosen} />}>
        <AttemptsChart buckets={buckets} range={chosen.range} webhookId={id} />
      </Section>
    </>
  )
}
