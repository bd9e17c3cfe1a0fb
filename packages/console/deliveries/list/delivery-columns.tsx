import { Badge, Text } from '@mantine/core'
import type { Column } from '../../components/lists/list.tsx'
import { BY_TIME } from '../../components/lists/use-order.ts'
import { DeliveryStateBadge } from '../../components/state-badge.tsx'
import { Time } from '../../components/time.tsx'
import type { DeliveryRowFragment } from '../../generated/graphql.ts'
import { rich, t } from '../../language/t.ts'
import { formatCount } from '../../lib/format.ts'
import { WebhookOf } from '../../webhooks/webhook-label.tsx'
import { waitsFor } from '../waits-for.ts'

type Row = DeliveryRowFragment

const DELIVERY: Column<Row> = {
  label: t('Delivery'),
  grow: true,
  width: '30%',
  cell: (row) => <WhichDelivery row={row} />,
}
const STATE: Column<Row> = {
  label: t('State'),
  grow: true,
  width: '30%',
  cell: (row) => <State row={row} />,
}
const WEBHOOK: Column<Row> = {
  label: t('Webhook'),
  grow: true,
  width: '30%',
  cell: (row) => <WebhookOf row={row} />,
}
const OTHERS: readonly Column<Row>[] = [
  {
    label: t('Attempts'),
    end: true,
    priority: 3,
    cell: ({ attemptCount }) => formatCount(attemptCount),
    width: 80,
  },
  {
    label: t('Created'),
    priority: 2,
    order: BY_TIME,
    cell: ({ createdAt }) => <Time at={createdAt} as="relative" />,
    width: 110,
  },
]

/** The columns of a list of deliveries, without what is the same in every row. */
export function deliveryColumns(without: 'webhook' | 'event' | null): readonly Column<Row>[] {
  if (without === 'event') return [WEBHOOK, STATE, ...OTHERS]
  return [DELIVERY, STATE, ...(without === 'webhook' ? [] : [WEBHOOK]), ...OTHERS]
}

function WhichDelivery({ row }: { row: Row }) {
  return (
    <>
      {row.eventType.name} {row.isTest && <TestBadge />}{' '}
      <Text span c="dimmed" fz="xs" className="ph-mono" visibleFrom="sm">
        {row.id}
      </Text>
    </>
  )
}

/** Marks a test event, which sends the example of its type. */
export function TestBadge() {
  return (
    <Badge component="span" size="xs" variant="outline" color="gray" tt="none" c="dimmed">
      {t('Test')}
    </Badge>
  )
}

interface ResponseStatusProps {
  readonly succeeded: boolean
  readonly status?: number | null
}

/** The status of a response, or that there was none. */
export function ResponseStatus({ succeeded, status }: ResponseStatusProps) {
  return (
    <Text span inherit fw={600} c={`var(--posthorn-on-${succeeded ? 'green' : 'red'})`}>
      {status ?? t('No response')}
    </Text>
  )
}

/** The state and, unless the delivery succeeded, what it waits for or why its last attempt failed. */
function State({ row }: { row: Row }) {
  const { state, nextAttemptAt, attempts } = row
  const { what, probeAt } = waitsFor(row)
  const failed = attempts?.nodes.find(({ succeeded }) => !succeeded)
  return (
    <>
      <DeliveryStateBadge state={state} />
      <span className="ph-below">
        {state === 'WAITING'
          ? what
          : failed && `${failed.status ?? t('No response')} · ${failed.meaning}`}
        {state === 'WAITING' && probeAt && (
          <>
            {' · '}
            {rich('probe {time}', { time: <Time at={probeAt} as="upcoming" /> })}
          </>
        )}
        {state === 'RETRYING' && nextAttemptAt && (
          <>
            {' · '}
            <Time at={nextAttemptAt} as="upcoming" />
          </>
        )}
      </span>
    </>
  )
}
