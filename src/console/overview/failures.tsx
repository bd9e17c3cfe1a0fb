import { useMemo, useState } from 'react'
import { useRead } from '../api/use-read.ts'
import { type Column, List } from '../components/lists/list.tsx'
import { Section } from '../components/page/section.tsx'
import { Time } from '../components/time.tsx'
import { whyFailed } from '../deliveries/why-failed.ts'
import { formatCount } from '../format.ts'
import { OverviewFailuresDocument, type OverviewFailuresQuery } from '../generated/graphql.ts'
import { t } from '../strings/t.ts'
import { causeOf } from '../webhooks/health/last-failure.tsx'
import { useHealthChanges } from '../webhooks/health/use-health-changes.ts'
import { webhookName } from '../webhooks/webhook-name.ts'

type FailureGroup = NonNullable<OverviewFailuresQuery['failureGroups']>['nodes'][number]

const DAY_MS = 86_400_000

/** The failed attempts of the last day by webhook and cause, with what to check. Empty without failures. */
export function Failures() {
  const [since] = useState(() => new Date(Date.now() - DAY_MS).toISOString())
  const context = useMemo(() => ({ additionalTypenames: ['Attempt'] }), [])
  const { data, error, reload } = useRead(OverviewFailuresDocument, { since }, { context })
  useHealthChanges(undefined, reload)
  const groups = data?.failureGroups?.nodes
  if (groups?.length === 0) return null
  return (
    <Section title={t('overview:failures.title')}>
      <List
        label={t('overview:failures.title')}
        columns={COLUMNS}
        rows={groups}
        keyOf={({ webhookId, cause }) => `${webhookId} ${cause}`}
        to={({ webhookId, cause }) =>
          `/attempts?${new URLSearchParams({ webhook: webhookId, cause, since })}`
        }
        error={error}
        retry={reload}
        empty={null}
      />
    </Section>
  )
}

const COLUMNS: readonly Column<FailureGroup>[] = [
  {
    label: t('overview:failures.cause'),
    cell: ({ cause, sample }) => (sample ? causeOf(sample) : cause),
  },
  {
    label: t('overview:failures.webhook'),
    grow: true,
    width: '20%',
    cell: ({ webhook }) => (webhook ? webhookName(webhook) : t('overview:failures.deleted')),
  },
  {
    label: t('overview:failures.count'),
    end: true,
    cell: ({ count, countIsExact }) =>
      countIsExact
        ? formatCount(count)
        : t('overview:failures.orMore', { formatted: formatCount(count) }),
  },
  {
    label: t('overview:failures.check'),
    grow: true,
    width: '30%',
    priority: 2,
    cell: ({ sample }) => (sample ? whyFailed(sample)?.hint : ''),
  },
  {
    label: t('overview:failures.last'),
    priority: 3,
    cell: ({ lastSeenAt }) => <Time at={lastSeenAt} as="relative" />,
  },
]
