import { Text } from '@mantine/core'
import type { Column } from '../components/lists/list.tsx'
import { BY_TIME } from '../components/lists/use-order.ts'
import { DeliveryStateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import { ResponseStatus } from '../deliveries/list/delivery-columns.tsx'
import type { AttemptRowFragment } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { formatDuration } from '../lib/format.ts'
import { WebhookOf } from '../webhooks/webhook-label.tsx'

export const COLUMNS: readonly Column<AttemptRowFragment>[] = [
  {
    label: 'Attempt',
    cell: ({ number, delivery }) =>
      `${delivery?.eventType.name ?? t('Past its retention period')}, attempt ${number}`,
    grow: true,
    width: '28%',
  },
  { label: t('Webhook'), cell: (row) => <WebhookOf row={row} />, grow: true, width: '28%' },
  { label: t('Response'), cell: (row) => <Response row={row} />, grow: true, width: '34%' },
  {
    label: t('Duration'),
    end: true,
    priority: 2,
    cell: ({ durationMs }) => formatDuration(durationMs),
    width: 90,
  },
  {
    label: 'Delivery now',
    priority: 3,
    cell: ({ delivery }) => delivery && <DeliveryStateBadge state={delivery.state} />,
    width: 120,
  },
  {
    label: 'Ended',
    priority: 2,
    order: BY_TIME,
    cell: ({ recordedAt }) => <Time at={recordedAt} as="relative" />,
    width: 110,
  },
]

function Response({ row }: { row: AttemptRowFragment }) {
  return (
    <>
      <ResponseStatus succeeded={row.succeeded} status={row.status} />{' '}
      {!row.succeeded && (
        <Text span c="dimmed" fz="xs">
          {row.meaning}
        </Text>
      )}
    </>
  )
}
