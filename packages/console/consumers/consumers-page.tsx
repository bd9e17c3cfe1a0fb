import { usePolling } from '../api/use-polling.ts'
import { useRead } from '../api/use-read.ts'
import { type Column, List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { Page } from '../components/page/page.tsx'
import { Time } from '../components/time.tsx'
import { usePanel } from '../components/use-panel.ts'
import { type ConsumerFragment, ConsumersDocument } from '../generated/graphql.ts'
import { ConsumerPanel, ConsumerState, waitingOf } from './consumer-panel.tsx'
import { FirstPull } from './first-pull.tsx'

/** How often the visible page reloads: each pull changes what waits. */
const REFRESH_EVERY_MS = 5_000

const COLUMNS: readonly Column<ConsumerFragment>[] = [
  { label: 'Name', grow: true, cell: ({ name }) => name },
  { label: 'State', cell: ({ state }) => <ConsumerState state={state} /> },
  { label: 'Waiting', end: true, cell: waitingOf },
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
]

/** The programs that ask for events instead of receiving them. */
export default function ConsumersPage() {
  const cursors = useCursors(100)
  const opened = usePanel('consumer')
  const { data, error, reload } = useRead(ConsumersDocument, cursors.variables)
  const rows = data?.consumers?.nodes
  usePolling(REFRESH_EVERY_MS, reload)
  return (
    <Page
      title="Consumers"
      description="Programs that ask for events, and acknowledge them. A consumer appears with its first pull. Refreshes every 5 seconds."
    >
      <List
        label="Consumers"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ id }) => id}
        to={({ id }) => opened.to(id)}
        error={error}
        reload={reload}
        pages={{ info: data?.consumers?.pageInfo, cursors }}
        empty={<FirstPull />}
      />
      <ConsumerPanel
        opened={opened.id !== null}
        consumer={rows?.find(({ id }) => id === opened.id)}
        isMissing={opened.id !== null && rows !== undefined}
        close={opened.close}
      />
    </Page>
  )
}
