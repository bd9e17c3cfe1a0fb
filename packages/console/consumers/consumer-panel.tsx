import { Button, Group, Stack, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { usePolling } from '../api/use-polling.ts'
import { useRead } from '../api/use-read.ts'
import { Confirm } from '../components/confirm.tsx'
import { Id } from '../components/copy-button.tsx'
import { NodePanel } from '../components/node-panel.tsx'
import { Facts } from '../components/page/facts.tsx'
import { Notice } from '../components/page/notice.tsx'
import { Section } from '../components/page/section.tsx'
import { Time } from '../components/time.tsx'
import {
  ConsumerDeleteDocument,
  ConsumerOneDocument,
  type ConsumerRowFragment,
} from '../generated/graphql.ts'
import { formatCount, plural } from '../lib/format.ts'
import { useSession } from '../session/session.tsx'
import { ConsumerStateBadge, leaseText, typesText, waitingText } from './consumer-columns.tsx'
import { REFRESH_EVERY_MS } from './consumers-query.ts'

interface ConsumerPanelProps {
  /** The open consumer, if any. */
  readonly id: string | null
  onClose(): void
}

/** One consumer: what waits for it and what it asks for, and a button to delete it. */
export function ConsumerPanel({ id, onClose }: ConsumerPanelProps) {
  const { data, error, reload } = useRead(
    ConsumerOneDocument,
    { id: id ?? '' },
    { pause: id === null },
  )
  const node = data?.node
  const consumer = node?.__typename === 'Consumer' && node.id === id ? node : null
  usePolling(id === null ? null : REFRESH_EVERY_MS, reload)
  return (
    <NodePanel
      opened={id !== null}
      onClose={onClose}
      size="lg"
      title={consumer?.name ?? 'Consumer'}
      error={error}
      reload={reload}
      missing={node === null && 'This consumer does not exist in this organization.'}
    >
      {consumer && <ConsumerDetails consumer={consumer} onDeleted={onClose} />}
    </NodePanel>
  )
}

interface ConsumerDetailsProps {
  readonly consumer: ConsumerRowFragment
  onDeleted(): void
}

function ConsumerDetails({ consumer, onDeleted }: ConsumerDetailsProps) {
  const { can } = useSession()
  const { oldestWaitingAt, lastPulledAt, filterText, missedCount, lastMissedAt } = consumer
  return (
    <Stack gap="xl">
      <Group>
        <ConsumerStateBadge state={consumer.state} />
        <Id id={consumer.id} />
      </Group>
      {missedCount > 0 && (
        <Notice
          color="red"
          title={`${formatCount(missedCount)} ${plural(missedCount, 'event was', 'events were')} missed`}
        >
          The events were deleted at the end of their retention before they were acknowledged
          {lastMissedAt && (
            <>
              , most recently <Time at={lastMissedAt} />
            </>
          )}
          . Pull more often, or raise the retention.
        </Notice>
      )}
      <Facts
        facts={[
          { label: 'Waiting', value: waitingText(consumer) },
          {
            label: 'Oldest waiting',
            value: oldestWaitingAt ? <Time at={oldestWaitingAt} /> : 'None',
          },
          { label: 'Last pull', value: lastPulledAt ? <Time at={lastPulledAt} /> : 'Never' },
          { label: 'First pull', value: <Time at={consumer.createdAt} /> },
          { label: 'Event types', value: typesText(consumer) },
          filterText != null && { label: 'Filter', value: filterText },
        ]}
      />
      <Section
        title="Open leases"
        description="The events of a pull that are not acknowledged. After the lease, the next pull gets them."
      >
        {consumer.openLeases.length === 0 ? (
          <Text size="sm">None</Text>
        ) : (
          <Stack gap={4} component="ul" m={0} pl="lg">
            {consumer.openLeases.map(({ expiresAt, eventCount }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: leases have no name, and two can end together
              <Text key={index} size="sm" component="li">
                {leaseText(eventCount)}, until <Time at={expiresAt} />
              </Text>
            ))}
          </Stack>
        )}
      </Section>
      {can('webhooks:write') && <DeleteConsumer consumer={consumer} onDeleted={onDeleted} />}
    </Stack>
  )
}

function DeleteConsumer({ consumer: { id, name }, onDeleted }: ConsumerDetailsProps) {
  const { run } = useAction(ConsumerDeleteDocument)
  const [confirming, setConfirming] = useState(false)
  return (
    <Group justify="end">
      <Button
        color="red.8"
        variant="outline"
        leftSection={<IconTrash size={16} />}
        onClick={() => setConfirming(true)}
      >
        Delete consumer
      </Button>
      <Confirm
        opened={confirming}
        onClose={() => setConfirming(false)}
        title={`Delete the consumer ${name}?`}
        action="Delete"
        destructive
        onConfirm={() => run({ id }, { additionalTypenames: ['Consumer'] })}
        success="Consumer deleted."
        onDone={onDeleted}
      >
        Its place in the events is lost: what waits is not delivered to a consumer of this name
        later. A program that still pulls creates a new consumer.
      </Confirm>
    </Group>
  )
}
