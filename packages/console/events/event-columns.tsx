import { Text } from '@mantine/core'
import type { Column } from '../components/lists/list.tsx'
import { BY_TIME } from '../components/lists/use-order.ts'
import { Time } from '../components/time.tsx'
import { Delivered } from '../deliveries/event/delivered.tsx'
import { TestBadge } from '../deliveries/list/delivery-columns.tsx'
import type { EventsQuery } from '../generated/graphql.ts'
import { t } from '../language/t.ts'

type Row = NonNullable<EventsQuery['events']>['nodes'][number]

/** The columns of a list of events, with or without what came of their deliveries. */
export function eventColumns(withDeliveries: boolean): readonly Column<Row>[] {
  const columns: (Column<Row> | false)[] = [
    { label: 'Event', cell: (row) => <WhichEvent row={row} />, grow: true },
    withDeliveries && {
      label: t('Deliveries'),
      cell: ({ deliveryCounts }) => deliveryCounts && <Delivered counts={deliveryCounts} />,
      width: 160,
    },
    {
      label: 'Occurred',
      priority: 3,
      cell: ({ occurredAt }) => <Time at={occurredAt} />,
      width: 190,
    },
    {
      label: 'Published',
      priority: 2,
      order: BY_TIME,
      cell: ({ publishedAt }) => <Time at={publishedAt} as="relative" />,
      width: 110,
    },
  ]
  return columns.filter((column) => column !== false)
}

function WhichEvent({ row: { type, isTest, preview } }: { row: Row }) {
  return (
    <>
      {type.name} {isTest && <TestBadge />}{' '}
      <Text span c="dimmed" fz="xs" fw={400} className="ph-mono">
        {preview ?? t('Erased')}
      </Text>
    </>
  )
}
