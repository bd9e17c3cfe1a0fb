import { usePageQuery } from '../api/page-query.ts'
import { usePolling } from '../api/use-polling.ts'
import { List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { Page } from '../components/page/page.tsx'
import { usePanel } from '../components/use-panel.ts'
import { CONSUMER_COLUMNS } from './consumer-columns.tsx'
import { ConsumerPanel } from './consumer-panel.tsx'
import { consumersQuery, REFRESH_EVERY_MS } from './consumers-query.ts'
import { FirstPull } from './first-pull.tsx'

/** The programs that ask for events instead of receiving them. */
export default function ConsumersPage() {
  const cursors = useCursors()
  const opened = usePanel('consumer')
  const { data, ...read } = usePageQuery(consumersQuery)
  usePolling(REFRESH_EVERY_MS, read.reload)
  return (
    <Page
      title="Consumers"
      description="Programs that ask for events, and acknowledge them. A consumer appears with its first pull. Refreshes every 5 seconds."
    >
      <List
        label="Consumers"
        columns={CONSUMER_COLUMNS}
        rows={data?.consumers?.nodes}
        keyOf={({ id }) => id}
        to={({ id }) => opened.to(id)}
        {...read}
        // Each reload would dim the rows.
        stale={false}
        pages={{ info: data?.consumers?.pageInfo, cursors }}
        empty={<FirstPull />}
      />
      <ConsumerPanel id={opened.id} onClose={opened.close} />
    </Page>
  )
}
