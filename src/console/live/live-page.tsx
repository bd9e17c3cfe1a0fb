import { Button, CloseButton, Group, Switch, Text } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { usePageQuery } from '../api/page-query.ts'
import { FilterBar } from '../components/filters/filter-bar.tsx'
import { useFilters } from '../components/filters/use-filters.ts'
import { WebhookSelect } from '../components/filters/webhook-select.tsx'
import { LiveBadge } from '../components/live-badge.tsx'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { formatCount } from '../lib/format.ts'
import { liveQuery } from './live-query.ts'
import { TailStatus } from './tail-status.tsx'
import { TailTable } from './tail-table.tsx'
import { ROWS_KEPT, useTail } from './use-tail.ts'

export default function LivePage() {
  const { values, set, active, clear } = useFilters(['webhook', 'failed'])
  const [paused, setPaused] = useState(false)
  const [interacting, setInteracting] = useState(false)
  const failedOnly = values.failed !== null
  const frozen = paused || interacting
  const tail = useTail({ webhookId: values.webhook, failedOnly, frozen })
  const { data } = usePageQuery(liveQuery)
  const nodes = data?.webhooks?.nodes
  const webhooks = useMemo(() => new Map(nodes?.map((webhook) => [webhook.id, webhook])), [nodes])

  return (
    <Page
      title="Live"
      description={`Attempts in real time, the last to end first. This page keeps the last ${formatCount(ROWS_KEPT)}.`}
      aside={<LiveBadge state={tail.state} />}
      actions={
        <Button
          variant={paused ? 'filled' : 'default'}
          leftSection={paused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
          onClick={() => setPaused(!paused)}
          miw={116}
        >
          {paused ? 'Resume' : 'Pause'}
        </Button>
      }
    >
      <FilterBar active={active} clear={clear}>
        <WebhookSelect value={values.webhook} onChange={(webhook) => set({ webhook })} />
        <Switch
          label="Failed only"
          checked={failedOnly}
          onChange={({ currentTarget }) => set({ failed: currentTarget.checked ? 'only' : null })}
          mb={5}
        />
      </FilterBar>
      <Group justify="space-between" gap="xs" mih={30}>
        <TailStatus rate={tail.rate} paused={paused} frozen={frozen} waiting={tail.waiting} />
        {tail.missed && <Missed close={tail.dismissMissed} />}
      </Group>
      <div className="ph-tail-frame">
        {tail.rows.length === 0 ? (
          <EmptyState title={failedOnly ? 'No failed attempts yet' : 'Waiting for traffic…'}>
            This page shows attempts from now on. The deliveries list earlier attempts.
          </EmptyState>
        ) : (
          <TailTable rows={tail.rows} webhooks={webhooks} setInteracting={setInteracting} />
        )}
      </div>
    </Page>
  )
}

/** Its space is reserved, so that the rows below do not move. */
function Missed({ close }: { close(): void }) {
  return (
    <Group gap={4} wrap="nowrap" role="status" c="var(--posthorn-on-yellow)">
      <Text size="sm">
        Some attempts are missing, because this page was interrupted, in the background, or too
        slow. The deliveries list all attempts.
      </Text>
      <CloseButton size="sm" c="inherit" aria-label="Close" onClick={close} />
    </Group>
  )
}
