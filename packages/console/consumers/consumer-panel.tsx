import { Button, Drawer, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconTrash } from '@tabler/icons-react'
import { useAction } from '../api/use-action.ts'
import { Confirm } from '../components/confirm.tsx'
import { Id } from '../components/copy-button.tsx'
import { Facts } from '../components/page/facts.tsx'
import { Notice } from '../components/page/notice.tsx'
import { Section } from '../components/page/section.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import { ConsumerDeleteDocument, type ConsumerFragment } from '../generated/graphql.ts'
import { counted, formatCount } from '../lib/format.ts'
import { useSession } from '../session/session.tsx'

interface ConsumerPanelProps {
  readonly opened: boolean
  readonly consumer: ConsumerFragment | undefined
  /** Whether the panel says, without a consumer, that there is none. */
  readonly isMissing: boolean
  close(): void
}

/** One consumer: what waits for it and what it asks for, and a button to delete it. */
export function ConsumerPanel({ opened, consumer, isMissing, close }: ConsumerPanelProps) {
  return (
    <Drawer
      opened={opened}
      onClose={close}
      position="right"
      size="lg"
      title={<Text fw={650}>{consumer?.name ?? 'Consumer'}</Text>}
    >
      {consumer ? (
        <Details consumer={consumer} onDeleted={close} />
      ) : (
        isMissing && <Text c="dimmed">This consumer does not exist in this organization.</Text>
      )}
    </Drawer>
  )
}

interface DetailsProps {
  readonly consumer: ConsumerFragment
  onDeleted(): void
}

function Details({ consumer, onDeleted }: DetailsProps) {
  const { can } = useSession()
  const { oldestWaitingAt, lastPulledAt, filterText, types, missedCount, lastMissedAt } = consumer
  return (
    <Stack gap="xl">
      <Group>
        <ConsumerState state={consumer.state} />
        <Id id={consumer.id} />
      </Group>
      {missedCount > 0 && (
        <Notice color="red" title={`${counted(missedCount, 'event was', 'events were')} missed`}>
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
          { label: 'Waiting', value: waitingOf(consumer) },
          {
            label: 'Oldest waiting',
            value: oldestWaitingAt ? <Time at={oldestWaitingAt} /> : 'None',
          },
          { label: 'Last pull', value: lastPulledAt ? <Time at={lastPulledAt} /> : 'Never' },
          { label: 'First pull', value: <Time at={consumer.createdAt} /> },
          { label: 'Event types', value: types.length === 0 ? 'All' : types.join(', ') },
          filterText != null && {
            label: 'Filter',
            value: <span className="ph-mono">{filterText}</span>,
          },
        ]}
      />
      <Section
        title="Open leases"
        description="The events of a pull that are not acknowledged. After the lease, the next pull gets them."
      >
        {consumer.openLeases.length === 0 && <Text size="sm">None</Text>}
        {consumer.openLeases.map(({ expiresAt, eventCount }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: leases have no name, and two can end together
          <Text key={index} size="sm">
            {counted(eventCount, 'event', 'events')}, until <Time at={expiresAt} />
          </Text>
        ))}
      </Section>
      {can('webhooks:write') && <DeleteConsumer consumer={consumer} onDeleted={onDeleted} />}
    </Stack>
  )
}

function DeleteConsumer({ consumer: { id, name }, onDeleted }: DetailsProps) {
  const { run } = useAction(ConsumerDeleteDocument)
  const [confirming, confirm] = useDisclosure()
  return (
    <Group justify="end">
      <Button
        color="red.8"
        variant="outline"
        leftSection={<IconTrash size={16} />}
        onClick={confirm.open}
      >
        Delete consumer
      </Button>
      <Confirm
        opened={confirming}
        onClose={confirm.close}
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

const STATES: Record<ConsumerFragment['state'], readonly [label: string, color: string]> = {
  HEALTHY: ['Healthy', 'green'],
  BEHIND: ['Behind', 'violet'],
  NO_PULLS_YET: ['No pulls yet', 'gray'],
}

export function ConsumerState({ state }: Pick<ConsumerFragment, 'state'>) {
  const [label, color] = STATES[state]
  return <StateBadge label={label} color={color} />
}

/** How many events wait. */
export const waitingOf = ({ waitingCount, waitingCountIsExact }: ConsumerFragment) =>
  `${waitingCountIsExact ? '' : 'About '}${formatCount(waitingCount)}`
