import { Text } from '@mantine/core'
import { useMemo } from 'react'
import { useRead } from '../api/use-read.ts'
import { type Column, List } from '../components/lists/list.tsx'
import { NoMatches } from '../components/lists/no-matches.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { DeliveryStateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import { ResponseStatus } from '../deliveries/delivery-columns.tsx'
import { whyFailed } from '../deliveries/why-failed.ts'
import { formatDuration, hostAndPath } from '../format.ts'
import { type AttemptRowFragment, AttemptsDocument } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { AttemptFilters, useAttemptFilters } from './attempt-filters.tsx'

const COLUMNS: readonly Column<AttemptRowFragment>[] = [
  { label: 'Attempt', cell: (row) => <WhichAttempt row={row} />, width: 220 },
  { label: 'Webhook', cell: (row) => <WebhookOf row={row} /> },
  { label: 'Response', cell: (row) => <Response row={row} /> },
  {
    label: 'Duration',
    end: true,
    cell: ({ durationMs }) => formatDuration(durationMs),
    width: 90,
  },
  {
    label: 'Delivery now',
    cell: ({ delivery }) => delivery && <DeliveryStateBadge state={delivery.state} />,
    width: 120,
  },
  { label: 'Started', cell: ({ startedAt }) => <Time at={startedAt} as="relative" />, width: 110 },
]

/** All attempts, newest first, by their own time: a delivery of last week can have failed a minute ago. */
export default function AttemptsPage() {
  const session = useSession()
  const filters = useAttemptFilters(session.webhookId)
  const cursors = useCursors()
  const context = useMemo(() => ({ additionalTypenames: ['Attempt'] }), [])
  const { data, error, stale, reload } = useRead(
    AttemptsDocument,
    { ...cursors.variables, filter: filters.filter, withWebhook: session.can('webhooks:read') },
    { context },
  )
  return (
    <Page
      title="Attempts"
      description="Each attempt is one request to an endpoint. Filters use the time of the attempt, not of its delivery."
    >
      <AttemptFilters filters={filters} />
      <List
        label="Attempts"
        columns={COLUMNS}
        rows={data?.attempts?.nodes}
        keyOf={({ id }) => id}
        to={({ id, delivery }) =>
          delivery ? `/deliveries/${delivery.id}?attempt=${id}` : '/attempts'
        }
        error={error}
        stale={stale}
        retry={reload}
        pages={{ info: data?.attempts?.pageInfo, cursors }}
        empty={
          filters.active ? (
            <NoMatches noun="attempt" clear={filters.clear} />
          ) : (
            <EmptyState title="No attempts yet">
              An attempt appears here as soon as it has ended.
            </EmptyState>
          )
        }
      />
    </Page>
  )
}

function WhichAttempt({ row: { id, number, delivery } }: { row: AttemptRowFragment }) {
  return (
    <>
      {delivery?.eventType ?? 'Past its retention'}, attempt {number}
      <Text span c="dimmed" fz="xs" className="ph-mono" display="block">
        {id}
      </Text>
    </>
  )
}

function WebhookOf({ row: { webhook, webhookId } }: { row: AttemptRowFragment }) {
  if (webhook) return <span style={{ overflowWrap: 'anywhere' }}>{hostAndPath(webhook.url)}</span>
  return <span className="ph-mono">{webhookId}</span>
}

function Response({ row }: { row: AttemptRowFragment }) {
  return (
    <>
      <ResponseStatus succeeded={row.succeeded} status={row.status} />
      {!row.succeeded && (
        <Text span c="dimmed" fz="xs" display="block">
          {whyFailed(row)?.sentence}
        </Text>
      )}
    </>
  )
}
