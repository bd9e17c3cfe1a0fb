import { Badge, Text } from '@mantine/core'
import { Link } from 'react-router'
import type { Column } from '../components/lists/list.tsx'
import { DeliveryStateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import { formatCount } from '../format.ts'
import type { DeliveryRowFragment } from '../generated/graphql.ts'
import { t } from '../strings/t.ts'
import { WebhookLabel } from '../webhooks/webhook-label.tsx'
import { isFinished } from './is-finished.ts'

type DeliveryColumn = Column<DeliveryRowFragment> & { of?: 'webhook' }

/** The columns of a list of deliveries, without what is the same in every row. */
export function deliveryColumns(
  without: 'webhook' | 'event' | null,
): Column<DeliveryRowFragment>[] {
  const columns: DeliveryColumn[] = [
    {
      label: t('deliveries:list.delivery'),
      cell: (row) => <WhichDelivery row={row} />,
      grow: true,
    },
    {
      label: t('deliveries:list.state'),
      cell: ({ state }) => <DeliveryStateBadge state={state} />,
      width: 110,
    },
    {
      label: t('deliveries:list.webhook'),
      of: 'webhook',
      cell: (row) => <WebhookOf row={row} />,
      grow: true,
    },
    {
      label: t('deliveries:list.lastResponse'),
      cell: (row) => <LastResponse row={row} />,
      width: 110,
    },
    {
      label: t('deliveries:list.attempts'),
      end: true,
      priority: 3,
      cell: ({ attemptCount }) => formatCount(attemptCount),
      width: 80,
    },
    {
      label: t('deliveries:list.nextAttempt'),
      priority: 3,
      cell: (row) => <NextAttempt row={row} />,
      width: 110,
    },
    {
      label: t('deliveries:list.created'),
      priority: 2,
      cell: ({ createdAt }) => <Time at={createdAt} as="relative" />,
      width: 110,
    },
  ]
  if (without === 'event') {
    const [, state, webhook, ...others] = columns
    return [webhook, state, ...others, ID].filter((column) => column !== undefined)
  }
  return columns.filter(({ of }) => of === undefined || of !== without)
}

const ID: DeliveryColumn = {
  label: t('deliveries:list.delivery'),
  grow: true,
  priority: 3,
  cell: ({ id }) => (
    <Text span c="dimmed" fz="xs" className="ph-mono">
      {id}
    </Text>
  ),
}

/** Makes the cells of a column the links of their rows, where another column comes first. */
export function linkedColumn<Row>(column: Column<Row>, to: (row: Row) => string): Column<Row> {
  return {
    ...column,
    cell: (row) => (
      <Link className="ph-row-link" to={to(row)}>
        {column.cell(row)}
      </Link>
    ),
  }
}

function WhichDelivery({ row }: { row: DeliveryRowFragment }) {
  return (
    <>
      {row.eventType.name} {row.isTest && <TestBadge />}{' '}
      <Text span c="dimmed" fz="xs" className="ph-mono">
        {row.id}
      </Text>
    </>
  )
}

/** Marks a test event, which sends the example of its type. */
export function TestBadge() {
  return (
    <Badge component="span" size="xs" variant="outline" color="gray" tt="none" c="dimmed">
      {t('deliveries:list.test')}
    </Badge>
  )
}

function WebhookOf({ row: { webhook, webhookId } }: { row: DeliveryRowFragment }) {
  if (webhook) return <WebhookLabel webhook={webhook} />
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
      {status ?? t('deliveries:list.noResponse')}
    </Text>
  )
}

function NextAttempt({ row: { state, nextAttemptAt, parkedAt } }: { row: DeliveryRowFragment }) {
  if (isFinished(state)) return null
  if (parkedAt != null || nextAttemptAt == null) return t('deliveries:list.waiting')
  return <Time at={nextAttemptAt} as="upcoming" />
}
