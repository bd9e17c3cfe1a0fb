import { Badge, Group, Text } from '@mantine/core'
import type { Column } from '../components/lists/list.tsx'
import { DeliveryStateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import { formatCount, hostAndPath } from '../format.ts'
import type { DeliveryRowFragment } from '../generated/graphql.ts'
import { isFinished } from './is-finished.ts'

/** The columns of a list of deliveries, without the column that is the same in every row. */
export function deliveryColumns(
  without: 'webhook' | 'event' | null,
): Column<DeliveryRowFragment>[] {
  const columns: (Column<DeliveryRowFragment> & { of?: 'webhook' | 'event' })[] = [
    { label: 'Delivery', cell: (row) => <WhichDelivery row={row} />, width: 265 },
    { label: 'State', cell: ({ state }) => <DeliveryStateBadge state={state} />, width: 115 },
    { label: 'Webhook', of: 'webhook', cell: (row) => <WebhookOf row={row} /> },
    { label: 'Last response', cell: (row) => <LastResponse row={row} />, width: 110 },
    {
      label: 'Attempts',
      end: true,
      cell: ({ attemptCount }) => formatCount(attemptCount),
      width: 80,
    },
    { label: 'Next attempt', cell: (row) => <NextAttempt row={row} />, width: 110 },
    {
      label: 'Created',
      cell: ({ createdAt }) => <Time at={createdAt} as="relative" />,
      width: 110,
    },
  ]
  return columns.filter(({ of }) => of === undefined || of !== without)
}

function WhichDelivery({ row }: { row: DeliveryRowFragment }) {
  return (
    <>
      <Group gap={6} component="span">
        {row.eventType}
        {row.isTest && <TestBadge />}
      </Group>
      <Text span c="dimmed" fz="xs" className="ph-mono" display="block">
        {row.id}
      </Text>
    </>
  )
}

/** Marks a test event, which sends the example of its type. */
export function TestBadge() {
  return (
    <Badge component="span" size="xs" variant="outline" color="gray" tt="none" c="dimmed">
      Test
    </Badge>
  )
}

function WebhookOf({ row: { webhook, webhookId } }: { row: DeliveryRowFragment }) {
  if (webhook) return <span style={{ overflowWrap: 'anywhere' }}>{hostAndPath(webhook.url)}</span>
  return <span className="ph-mono">{webhookId}</span>
}

function LastResponse({ row: { attempts } }: { row: DeliveryRowFragment }) {
  const last = attempts?.nodes[0]
  if (!last) return null
  return <ResponseStatus succeeded={last.succeeded} status={last.status} />
}

interface ResponseStatusProps {
  readonly succeeded: boolean
  readonly status?: number | null
}

/** The status of a response, or that there was none. */
export function ResponseStatus({ succeeded, status }: ResponseStatusProps) {
  return (
    <Text
      span
      inherit
      fw={600}
      c={`var(--posthorn-on-${succeeded ? 'green' : 'red'})`}
      style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}
    >
      {status ?? 'No response'}
    </Text>
  )
}

function NextAttempt({ row: { state, nextAttemptAt, parkedAt } }: { row: DeliveryRowFragment }) {
  if (isFinished(state)) return null
  if (parkedAt != null || nextAttemptAt == null) return 'Waiting'
  return <Time at={nextAttemptAt} as="relative" />
}
