import { Stack, Text } from '@mantine/core'
import { Id } from '../../components/copy-button.tsx'
import { CodeBlock } from '../../components/json/code-block.tsx'
import { Facts } from '../../components/page/facts.tsx'
import { Time } from '../../components/time.tsx'
import { maskUrl } from '../../lib/mask-url.ts'
import type { Job } from './job-columns.tsx'
import { OrganizationLink } from './organization-link.tsx'

export function JobDetails({ job }: { job: Job }) {
  return (
    <Stack gap="md" p="md" bg="var(--posthorn-sunken)" bdrs="md">
      {job.lastError && (
        <Stack gap={4}>
          <Text size="xs" c="dimmed" fw={600}>
            Last error
          </Text>
          <CodeBlock code={job.lastError} label="Last error" />
        </Stack>
      )}
      <Facts
        facts={[
          job.organization ? { label: 'Organization', value: job.organization.name } : null,
          job.delivery ? { label: 'Delivery', value: <Id id={job.delivery.id} /> } : null,
          job.delivery ? { label: 'Event type', value: job.delivery.eventType.name } : null,
          job.delivery?.webhook
            ? { label: 'Webhook', value: maskUrl(job.delivery.webhook.url) }
            : null,
          job.key ? { label: 'Key', value: <span className="ph-mono">{job.key}</span> } : null,
          { label: 'Created', value: <Time at={job.createdAt} /> },
          { label: 'Run at', value: job.state === 'FAILED' ? 'Never' : <Time at={job.runAt} /> },
          job.lockedBy
            ? { label: 'Claimed by', value: <span className="ph-mono">{job.lockedBy}</span> }
            : null,
          job.lockedAt ? { label: 'Claimed at', value: <Time at={job.lockedAt} /> } : null,
          job.delivery?.parkedAt
            ? { label: 'Parked at', value: <Time at={job.delivery.parkedAt} /> }
            : null,
        ]}
      />
      {job.delivery && (
        <Text size="sm">
          <OrganizationLink
            organizationId={job.organization?.id ?? null}
            path={`/deliveries/${job.delivery.id}`}
          >
            Open the delivery
          </OrganizationLink>
        </Text>
      )}
    </Stack>
  )
}
