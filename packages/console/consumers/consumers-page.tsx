import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { usePolling } from '../api/use-polling.ts'
import { useRead } from '../api/use-read.ts'
import { Confirm } from '../components/confirm.tsx'
import { type Column, List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { Notice } from '../components/page/notice.tsx'
import { Page } from '../components/page/page.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import {
  type ConsumerFragment as Consumer,
  ConsumerDeleteDocument,
  ConsumersDocument,
} from '../generated/graphql.ts'
import { counted, formatCount } from '../lib/format.ts'
import { useSession } from '../session/session.tsx'
import { FirstPull } from './first-pull.tsx'

/** How often the visible page reloads: each pull changes what waits. */
const REFRESH_EVERY_MS = 5_000

const STATES: Record<Consumer['state'], readonly [label: string, color: string]> = {
  HEALTHY: ['Healthy', 'green'],
  BEHIND: ['Behind', 'violet'],
  NO_PULLS_YET: ['No pulls yet', 'gray'],
}

const COLUMNS: readonly Column<Consumer>[] = [
  { label: 'Name', grow: true, cell: ({ name }) => name },
  {
    label: 'State',
    cell: ({ state }) => <StateBadge label={STATES[state][0]} color={STATES[state][1]} />,
  },
  {
    label: 'Waiting',
    end: true,
    cell: ({ waitingCount, waitingCountIsExact }) =>
      `${waitingCountIsExact ? '' : 'About '}${formatCount(waitingCount)}`,
  },
  {
    label: 'Oldest waiting',
    priority: 2,
    cell: ({ oldestWaitingAt: at }) => (at ? <Time at={at} as="relative" /> : 'None'),
  },
  {
    label: 'Last pull',
    priority: 2,
    cell: ({ lastPulledAt: at }) => (at ? <Time at={at} as="relative" /> : 'Never'),
  },
  {
    label: 'Leased',
    end: true,
    priority: 3,
    cell: ({ openLeases }) => formatCount(openLeases.reduce((sum, one) => sum + one.eventCount, 0)),
  },
  {
    label: 'Event types',
    grow: true,
    priority: 3,
    cell: ({ types, filterText }) => (
      <>
        {types.join(', ') || 'All'}
        <Text span size="xs" c="dimmed" className="ph-mono">
          {filterText && ` ${filterText}`}
        </Text>
      </>
    ),
  },
]

/** The programs that ask for events instead of receiving them. */
export default function ConsumersPage() {
  const { can } = useSession()
  const cursors = useCursors()
  const [deleting, setDeleting] = useState<Consumer | null>(null)
  const { run } = useAction(ConsumerDeleteDocument)
  const { data, error, reload } = useRead(ConsumersDocument, cursors.variables)
  const rows = data?.consumers?.nodes
  usePolling(REFRESH_EVERY_MS, reload)
  const remove: Column<Consumer> = {
    label: '',
    end: true,
    cell: (consumer) => (
      <Button
        size="xs"
        variant="subtle"
        c="var(--posthorn-on-red)"
        aria-label={`Delete ${consumer.name}`}
        onClick={() => setDeleting(consumer)}
      >
        Delete
      </Button>
    ),
  }
  return (
    <Page
      title="Consumers"
      description="Programs that ask for events, and acknowledge them. A consumer appears with its first pull. Refreshes every 5 seconds."
    >
      {rows?.map(
        ({ id, name, missedCount, lastMissedAt }) =>
          missedCount > 0 && (
            <Notice
              key={id}
              color="red"
              title={`${name} missed ${counted(missedCount, 'event', 'events')}`}
            >
              The events were deleted at the end of their retention before they were acknowledged
              {lastMissedAt && (
                <>
                  , most recently <Time at={lastMissedAt} />
                </>
              )}
              . Pull more often, or raise the retention.
            </Notice>
          ),
      )}
      <List
        label="Consumers"
        columns={can('webhooks:write') ? [...COLUMNS, remove] : COLUMNS}
        rows={rows}
        keyOf={({ id }) => id}
        error={error}
        reload={reload}
        pages={{ info: data?.consumers?.pageInfo, cursors }}
        empty={<FirstPull />}
      />
      <Confirm
        opened={deleting !== null}
        onClose={() => setDeleting(null)}
        title={`Delete the consumer ${deleting?.name}?`}
        action="Delete"
        destructive
        onConfirm={() => run({ id: deleting?.id ?? '' }, { additionalTypenames: ['Consumer'] })}
        success="Consumer deleted."
      >
        Its place in the events is lost: what waits is not delivered to a consumer of this name
        later. A program that still pulls creates a new consumer.
      </Confirm>
    </Page>
  )
}
