import { Badge, Text } from '@mantine/core'
import type { Column } from '../../components/lists/list.tsx'
import { BY_TIME } from '../../components/lists/use-order.ts'
import { DeliveryStateBadge } from '../../components/state-badge.tsx'
import { Time } from '../../components/time.tsx'
import type { DeliveryRowFragment } from '../../generated/graphql.ts'
import { rich, t } from '../../language/t.ts'
import { formatCount } from '../../lib/format.ts'
import { WebhookOf } from '../../webhooks/webhook-label.tsx'
import { isFinished } from '../delivery-states.ts'
import { waitsFor } from './waits-for.ts'

type DeliveryColumn = Column<DeliveryRowFragment> & { of?: 'webhook' }

/** The columns of a list of deliveries, without what is the same in every row. */
export function deliveryColumns(
  without: 'webhook' | 'event' | null,
): Column<DeliveryRowFragment>[] {
  const columns: DeliveryColumn[] = [
    { label: t('Delivery'), cell: (row) => <WhichDelivery row={row} />, grow: true },
    { label: t('State'), cell: (row) => <State row={row} />, width: 150 },
    { label: t('Webhook'), of: 'webhook', cell: (row) => <WebhookOf row={row} />, grow: true },
    { label: t('Last response'), cell: (row) => <LastResponse row={row} />, width: 110 },
    {
      label: t('Attempts'),
      end: true,
      priority: 3,
      cell: ({ attemptCount }) => formatCount(attemptCount),
      width: 80,
    },
    { label: t('Next attempt'), priority: 3, cell: (row) => <NextAttempt row={row} />, width: 110 },
    {
      label: t('Created'),
      priority: 2,
      order: BY_TIME,
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
  label: t('Delivery'),
  grow: true,
  priority: 3,
  cell: ({ id }) => <DeliveryId id={id} />,
}

function DeliveryId({ id }: { id: string }) {
  return (
    <Text span c="dimmed" fz="xs" className="ph-mono">
      {id}
    </Text>
  )
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
      {t('Test')}
    </Badge>
  )
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
      {status ?? t('No response')}
    </Text>
  )
}

/** The state and, of a waiting delivery, what it waits for. */
function State({ row }: { row: DeliveryRowFragment }) {
  const { state, webhook } = row
  const probeAt = webhook?.health?.state === 'ON_HOLD' ? webhook.health.nextProbeAt : null
  return (
    <>
      <DeliveryStateBadge state={state} />
      {state === 'WAITING' && (
        <span className="ph-below">
          {waitsFor(row)}
          {probeAt && (
            <>
              {' · '}
              {rich('probe {time}', { time: <Time at={probeAt} as="upcoming" /> })}
            </>
          )}
        </span>
      )}
    </>
  )
}

function NextAttempt({ row: { state, nextAttemptAt, parkedAt } }: { row: DeliveryRowFragment }) {
  if (isFinished(state) || parkedAt != null || nextAttemptAt == null) return null
  return <Time at={nextAttemptAt} as="upcoming" />
}
