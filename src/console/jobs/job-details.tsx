import { Stack, Text } from '@mantine/core'
import { CodeBlock } from '../components/code-block.tsx'
import { Facts } from '../components/facts.tsx'
import { Id } from '../components/id.tsx'
import { JsonBlock } from '../components/json-block.tsx'
import { Time } from '../components/time.tsx'
import { DeliveryLink } from './delivery-link.tsx'
import { type Job, waitsInLine } from './job-columns.tsx'

/** All there is to know of a job, below its row. */
export function JobDetails({ job }: { job: Job }) {
  return (
    <Stack gap="md" p="md" bg="var(--posthorn-sunken)" bdrs="md">
      {job.lastError && (
        <Stack gap={4}>
          <Text size="xs" c="dimmed" fw={600}>
            The last error
          </Text>
          <CodeBlock code={job.lastError} label="The last error" />
        </Stack>
      )}
      <Facts
        facts={[
          job.organization ? { label: 'Organization', value: job.organization.name } : null,
          job.delivery ? { label: 'Delivery', value: <Id id={job.delivery.id} /> } : null,
          job.delivery ? { label: 'Event type', value: job.delivery.eventType } : null,
          { label: 'Added', value: <Time at={job.createdAt} /> },
          {
            label: 'Due',
            value: <Due job={job} />,
          },
          job.lockedBy
            ? { label: 'Held by', value: <span className="ph-mono">{job.lockedBy}</span> }
            : null,
          job.lockedAt ? { label: 'Held since', value: <Time at={job.lockedAt} /> } : null,
          job.delivery?.parkedAt
            ? { label: 'In line since', value: <Time at={job.delivery.parkedAt} /> }
            : null,
        ]}
      />
      {job.payload !== null && !job.delivery && (
        <JsonBlock value={job.payload} label="the payload" />
      )}
      {job.delivery && (
        <Text size="sm">
          <DeliveryLink id={job.delivery.id} organizationId={job.organization?.id ?? null}>
            Open the delivery
          </DeliveryLink>
        </Text>
      )}
    </Stack>
  )
}

function Due({ job }: { job: Job }) {
  if (job.state === 'FAILED') return 'Not by itself'
  return waitsInLine(job) ? 'When its webhook has room' : <Time at={job.runAt} />
}
