import { ActionIcon, Group, Text } from '@mantine/core'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { Column } from '../../components/lists/list.tsx'
import { Time } from '../../components/time.tsx'
import { errorInWords } from '../../deliveries/error-in-words.ts'
import type { JobsFieldsFragment } from '../../generated/graphql.ts'
import { formatCount } from '../../lib/format.ts'
import { webhookName } from '../../webhooks/webhook-name.ts'
import { JobStateBadge } from './job-state.tsx'
import { OrganizationLink } from './organization-link.tsx'

export type Job = JobsFieldsFragment

interface JobColumnsOptions {
  readonly opened: string | null
  /** The URL with the details of this job open, or, for null, with none open. */
  detailsUrl(id: string | null): string
}

export function jobColumns(options: JobColumnsOptions): readonly Column<Job>[] {
  return [
    {
      label: 'Job',
      cell: ({ id, task }) => (
        <>
          <span className="ph-mono" title={task}>
            {task.replace(/^posthorn:/, '')}
          </span>{' '}
          <Text span size="xs" c="dimmed">
            {id}
          </Text>
        </>
      ),
      width: 120,
    },
    {
      label: 'State',
      cell: ({ state }) => <JobStateBadge state={state} />,
      width: 105,
    },
    { label: 'Delivery', cell: (job) => <DeliveryOf job={job} />, grow: true, width: '28%' },
    {
      label: 'Webhook',
      cell: (job) => <WebhookOf job={job} />,
      grow: true,
      width: '24%',
      priority: 2,
    },
    {
      label: 'Organization',
      priority: 3,
      cell: ({ organization }) =>
        organization && (
          <OrganizationLink organizationId={organization.id} path="/">
            {organization.name}
          </OrganizationLink>
        ),
      width: 110,
    },
    {
      label: 'Run at',
      priority: 3,
      cell: ({ state, runAt }) => (state === 'FAILED' ? '–' : <Time at={runAt} as="either" />),
      width: 100,
    },
    {
      label: 'Job attempts',
      priority: 4,
      cell: ({ attempts, maxAttempts }) =>
        `${formatCount(attempts)} of ${formatCount(maxAttempts)}`,
      width: 70,
    },
    {
      label: 'Last error',
      priority: 3,
      cell: ({ lastError }) =>
        lastError && (
          <Text size="xs" span>
            {errorInWords(lastError)}
          </Text>
        ),
      grow: true,
      width: '28%',
    },
    {
      label: 'Details',
      end: true,
      cell: (job) => <DetailsLink job={job} {...options} />,
      width: 70,
    },
  ]
}

function DetailsLink({ job: { id, task }, opened, detailsUrl }: JobColumnsOptions & { job: Job }) {
  const isOpen = opened === id
  return (
    <ActionIcon
      component={Link}
      to={detailsUrl(isOpen ? null : id)}
      preventScrollReset
      variant="subtle"
      color="gray"
      aria-expanded={isOpen}
      aria-label={`Details of ${task} ${id}`}
    >
      {isOpen ? <IconChevronUp size={18} /> : <IconChevronDown size={18} />}
    </ActionIcon>
  )
}

function DeliveryOf({ job: { delivery, organization } }: { job: Job }) {
  if (!delivery) return null
  return (
    <Group gap={6} wrap="nowrap">
      <OrganizationLink
        organizationId={organization?.id ?? null}
        path={`/deliveries/${delivery.id}`}
      >
        <span className="ph-mono">{`msg_…${delivery.id.slice(-6)}`}</span>
      </OrganizationLink>
      <Text size="xs" c="dimmed" truncate>
        {delivery.eventType.name}
      </Text>
    </Group>
  )
}

function WebhookOf({ job: { delivery, organization } }: { job: Job }) {
  if (!delivery?.webhook) return null
  const { id } = delivery.webhook
  return (
    <OrganizationLink organizationId={organization?.id ?? null} path={`/webhooks/${id}`}>
      {webhookName(delivery.webhook)}
    </OrganizationLink>
  )
}
