import { ActionIcon, Button, Text } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import type { Column } from '../../components/lists/list.tsx'
import { BY_TIME } from '../../components/lists/use-order.ts'
import { Time } from '../../components/time.tsx'
import type { EventOfDeliveriesFragment, PayloadState } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatCount } from '../../lib/format.ts'
import { TestBadge } from '../list/delivery-columns.tsx'
import { Delivered } from './delivered.tsx'
import { failedOf } from './delivered-text.ts'

export type FoldedRow = EventOfDeliveriesFragment

interface FoldedColumnsOptions {
  /** The ids of the unfolded rows. */
  readonly unfolded: ReadonlySet<string>
  toggle(id: string): void
  /** Redelivers the failed deliveries of an event. Undefined for viewers who may not. */
  readonly redeliver: ((eventId: string) => void) | undefined
}

/** The columns of deliveries folded by event. */
export function foldedColumns(options: FoldedColumnsOptions): readonly Column<FoldedRow>[] {
  return [
    { label: '', width: 36, grow: false, cell: (row) => <Unfold row={row} {...options} /> },
    { label: 'Event', grow: true, cell: (row) => <WhichEvent row={row} /> },
    {
      label: t('Deliveries'),
      width: 190,
      cell: ({ event }) => event && <Delivered counts={event.deliveryCounts} />,
    },
    { label: t('Failed'), width: 130, cell: (row) => <Failed row={row} {...options} /> },
    {
      label: t('Created'),
      priority: 2,
      order: BY_TIME,
      width: 110,
      cell: ({ createdAt }) => <Time at={createdAt} as="relative" />,
    },
  ]
}

type CellProps = FoldedColumnsOptions & { readonly row: FoldedRow }

function Unfold({ row: { id, event, eventType }, unfolded, toggle }: CellProps) {
  if (!event) return null
  const isOpen = unfolded.has(id)
  return (
    <ActionIcon
      className="ph-corner"
      size={24}
      variant="subtle"
      color="gray"
      aria-expanded={isOpen}
      aria-label={`Deliveries of ${eventType.name}`}
      onClick={() => toggle(id)}
    >
      {isOpen ? <IconChevronDown size={16} /> : <IconChevronRight size={16} />}
    </ActionIcon>
  )
}

function WhichEvent({ row: { eventType, isTest, event } }: { row: FoldedRow }) {
  return (
    <>
      {eventType.name} {isTest && <TestBadge />}{' '}
      <Text span c="dimmed" fz="xs" fw={400} className="ph-mono">
        {event ? (event.preview ?? missing(event)) : t('Past its retention period')}
      </Text>
    </>
  )
}

const missing = ({ payloadState }: { readonly payloadState: PayloadState }) =>
  payloadState === 'ERASED' ? t('Erased') : 'Not kept'

function Failed({ row: { event, eventType }, redeliver }: CellProps) {
  const failed = event?.deliveryCounts ? failedOf(event.deliveryCounts) : 0
  if (!event || failed === 0) return null
  const count = formatCount(failed)
  if (!redeliver) return count
  const text = `Redeliver ${count}`
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={`${text}: ${eventType.name}`}
      onClick={() => redeliver(event.id)}
    >
      {text}
    </Button>
  )
}
