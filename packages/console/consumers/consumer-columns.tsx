import { Text } from '@mantine/core'
import type { Column } from '../components/lists/list.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import type { ConsumerRowFragment, ConsumerState } from '../generated/graphql.ts'
import { formatCount, plural } from '../lib/format.ts'

const STATES: Record<ConsumerState, readonly [label: string, color: string]> = {
  HEALTHY: ['Healthy', 'green'],
  BEHIND: ['Behind', 'violet'],
  NO_PULLS_YET: ['No pulls yet', 'gray'],
}

export function ConsumerStateBadge({ state }: { state: ConsumerState }) {
  const [label, color] = STATES[state]
  return <StateBadge label={label} color={color} />
}

export const CONSUMER_COLUMNS: readonly Column<ConsumerRowFragment>[] = [
  { label: 'Name', cell: ({ name }) => name, grow: true, width: '20%' },
  { label: 'State', cell: ({ state }) => <ConsumerStateBadge state={state} />, width: 120 },
  { label: 'Waiting', cell: waitingText, end: true, width: 110 },
  {
    label: 'Oldest waiting',
    cell: ({ oldestWaitingAt: at }) => (at ? <Time at={at} as="relative" /> : 'None'),
    width: 130,
  },
  {
    label: 'Last pull',
    cell: ({ lastPulledAt: at }) => (at ? <Time at={at} as="relative" /> : 'Never'),
    width: 120,
    priority: 2,
  },
  {
    label: 'Event types',
    cell: (consumer) => (
      <>
        {typesText(consumer)}
        {consumer.filterText != null && (
          <Text span size="xs" c="dimmed">
            {' '}
            with a filter
          </Text>
        )}
      </>
    ),
    grow: true,
    priority: 2,
  },
  {
    label: 'Open leases',
    cell: ({ openLeases }) => formatCount(openLeases.length),
    end: true,
    width: 110,
    priority: 3,
  },
]

/** How many events wait. */
export function waitingText({ waitingCount, waitingCountIsExact }: ConsumerRowFragment): string {
  return waitingCountIsExact ? formatCount(waitingCount) : `About ${formatCount(waitingCount)}`
}

export const typesText = ({ types }: Pick<ConsumerRowFragment, 'types'>) =>
  types.length === 0 ? 'All' : types.join(', ')

export const leaseText = (events: number) =>
  `${formatCount(events)} ${plural(events, 'event', 'events')}`
