import { useMemo, useState } from 'react'
import { useRead } from '../api/use-read.ts'
import { type Column, List } from '../components/lists/list.tsx'
import { Section } from '../components/page/section.tsx'
import { Time } from '../components/time.tsx'
import { whyFailed } from '../deliveries/why-failed.ts'
import { OverviewFailuresDocument, type OverviewFailuresQuery } from '../generated/graphql.ts'
import { formatCount } from '../lib/format.ts'
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
    <Section title="Failures in the last 24 hours">
      <List
        label="Failures in the last 24 hours"
        columns={COLUMNS}
        rows={groups}
        keyOf={({ webhookId, cause }) => `${webhookId} ${cause}`}
        to={({ webhookId, cause }) =>
          `/attempts?${new URLSearchParams({ webhook: webhookId, cause, since })}`
        }
        error={error}
        reload={reload}
        empty={null}
      />
    </Section>
  )
}

const COLUMNS: readonly Column<FailureGroup>[] = [
  { label: 'Cause', cell: ({ cause, sample }) => (sample ? causeOf(sample) : cause) },
  {
    label: 'Webhook',
    grow: true,
    width: '20%',
    cell: ({ webhook }) => (webhook ? webhookName(webhook) : 'Deleted webhook'),
  },
  {
    label: 'Attempts',
    end: true,
    cell: ({ count, countIsExact }) =>
      countIsExact ? formatCount(count) : `${formatCount(count)}+`,
  },
  {
    label: 'What to check',
    grow: true,
    width: '30%',
    priority: 2,
    cell: ({ sample }) => (sample ? whyFailed(sample)?.hint : ''),
  },
  {
    label: 'Last',
    priority: 3,
    cell: ({ lastSeenAt }) => <Time at={lastSeenAt} as="relative" />,
  },
]
