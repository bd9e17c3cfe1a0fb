import { ActionIcon, Checkbox, Stack, Text } from '@mantine/core'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { Column } from '../components/lists/list.tsx'
import { Time } from '../components/time.tsx'
import type { JobsFieldsFragment } from '../generated/graphql.ts'
import { DeliveryLink } from './delivery-link.tsx'
import { JobStateBadge } from './job-state.tsx'
import type { StableRow } from './use-stable-rows.ts'

export type Job = StableRow<JobsFieldsFragment>

interface JobColumnsOptions {
  readonly selected: ReadonlySet<string>
  readonly opened: string | null
  toggle(id: string): void
  /** The URL with the details of this job open, or, for null, with none open. */
  detailsUrl(id: string | null): string
}

export function jobColumns(options: JobColumnsOptions): readonly Column<Job>[] {
  const { selected, opened, toggle, detailsUrl } = options
  return [
    {
      label: 'Job',
      cell: ({ id, task }) => (
        <Checkbox
          checked={selected.has(id)}
          onChange={() => toggle(id)}
          label={
            <>
              <span className="ph-mono">{task}</span>{' '}
              <Text span size="xs" c="dimmed">
                {id}
              </Text>
            </>
          }
        />
      ),
    },
    {
      label: 'State',
      cell: ({ state, removed }) => <JobStateBadge state={state} removed={removed} />,
      width: 130,
    },
    { label: 'Run at', cell: (job) => <RunAt job={job} />, width: 130 },
    {
      label: 'Attempts',
      cell: ({ attempts, maxAttempts }) => `${attempts} of ${maxAttempts}`,
      width: 100,
    },
    { label: 'Delivery', cell: (job) => <DeliveryOf job={job} />, width: '24%' },
    { label: 'Last error', cell: (job) => <LastError job={job} />, width: '22%' },
    {
      label: 'Details',
      end: true,
      cell: ({ id, task }) => (
        <ActionIcon
          component={Link}
          to={detailsUrl(opened === id ? null : id)}
          preventScrollReset
          variant="subtle"
          color="gray"
          aria-expanded={opened === id}
          aria-label={`Details of ${task} ${id}`}
        >
          {opened === id ? <IconChevronUp size={18} /> : <IconChevronDown size={18} />}
        </ActionIcon>
      ),
      width: 70,
    },
  ]
}

function RunAt({ job }: { job: Job }) {
  if (job.state === 'FAILED') return '–'
  return <Time at={job.runAt} as="relative" />
}

function DeliveryOf({ job: { delivery, organization } }: { job: Job }) {
  if (!delivery) return null
  return (
    <Stack gap={0} miw={0}>
      <DeliveryLink id={delivery.id} organizationId={organization?.id ?? null}>
        <span className="ph-mono">{`msg_…${delivery.id.slice(-6)}`}</span>
      </DeliveryLink>
      <Text size="xs" c="dimmed" truncate title={delivery.webhook?.url}>
        {delivery.eventType}
        {delivery.webhook
          ? ` → ${URL.parse(delivery.webhook.url)?.host ?? delivery.webhook.url}`
          : ''}
      </Text>
    </Stack>
  )
}

function LastError({ job: { lastError, lockedBy, lockedAt } }: { job: Job }) {
  if (!lastError && !lockedBy) return null
  return (
    <Stack gap={0} miw={0}>
      {lockedBy && lockedAt && (
        <Text size="xs" c="dimmed">
          Claimed <Time at={lockedAt} as="relative" />
        </Text>
      )}
      {lastError && (
        <Text size="xs" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
          {lastError}
        </Text>
      )}
    </Stack>
  )
}
