import { Text } from '@mantine/core'
import type { Column } from '../components/lists/list.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import { TestBadge } from '../deliveries/list/delivery-columns.tsx'
import type { EventsQuery } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { formatCount } from '../lib/format.ts'

type Row = NonNullable<EventsQuery['events']>['nodes'][number]

/** The columns of a list of events, with or without what came of their deliveries. */
export function eventColumns(withDeliveries: boolean): readonly Column<Row>[] {
  const columns: (Column<Row> | false)[] = [
    { label: t('Event'), cell: (row) => <WhichEvent row={row} />, grow: true },
    withDeliveries && {
      label: t('Deliveries'),
      cell: ({ deliveryCounts }) => deliveryCounts && <Delivered counts={deliveryCounts} />,
      width: 160,
    },
    {
      label: t('Occurred'),
      priority: 3,
      cell: ({ occurredAt }) => <Time at={occurredAt} />,
      width: 190,
    },
    {
      label: t('Published'),
      priority: 2,
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
        {preview}
      </Text>
    </>
  )
}

/** The server counts at most this many deliveries of an event. */
const MAX_COUNTED = 1_000

interface DeliveredProps {
  readonly counts: {
    readonly total: number
    readonly succeeded: number
    readonly exhausted: number
    readonly canceled: number
  }
}

/** What came of the deliveries of an event: "3 of 4 delivered". */
function Delivered({ counts }: DeliveredProps) {
  const { total, succeeded } = counts
  if (total === 0) return <StateBadge label={t('No webhook')} color="gray" />
  const of = `${formatCount(total)}${total < MAX_COUNTED ? '' : '+'}`
  return (
    <StateBadge
      label={t('{count} of {total} delivered', { count: formatCount(succeeded), total: of })}
      color={colorOf(counts)}
    />
  )
}

function colorOf({ total, succeeded, exhausted, canceled }: DeliveredProps['counts']): string {
  if (exhausted > 0) return 'red'
  if (succeeded + canceled < total) return 'blue'
  return succeeded > 0 ? 'green' : 'gray'
}
