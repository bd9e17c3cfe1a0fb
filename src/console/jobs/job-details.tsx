import { Stack, Text } from '@mantine/core'
import { Id } from '../components/id.tsx'
import { CodeBlock } from '../components/json/code-block.tsx'
import { Facts } from '../components/page/facts.tsx'
import { Time } from '../components/time.tsx'
import { t } from '../strings/t.ts'
import type { Job } from './job-columns.tsx'
import { OrganizationLink } from './organization-link.tsx'

export function JobDetails({ job }: { job: Job }) {
  return (
    <Stack gap="md" p="md" bg="var(--posthorn-sunken)" bdrs="md">
      {job.lastError && (
        <Stack gap={4}>
          <Text size="xs" c="dimmed" fw={600}>
            {t('jobs:details.lastError')}
          </Text>
          <CodeBlock code={job.lastError} label={t('jobs:details.lastError')} />
        </Stack>
      )}
      <Facts
        facts={[
          job.organization
            ? { label: t('jobs:details.organization'), value: job.organization.name }
            : null,
          job.delivery
            ? { label: t('jobs:details.delivery'), value: <Id id={job.delivery.id} /> }
            : null,
          job.delivery
            ? { label: t('jobs:details.eventType'), value: job.delivery.eventType.name }
            : null,
          job.delivery?.webhook
            ? { label: t('jobs:details.webhook'), value: job.delivery.webhook.url }
            : null,
          job.key
            ? { label: t('jobs:details.key'), value: <span className="ph-mono">{job.key}</span> }
            : null,
          { label: t('jobs:details.created'), value: <Time at={job.createdAt} /> },
          {
            label: t('jobs:details.runAt'),
            value: job.state === 'FAILED' ? t('jobs:details.noTime') : <Time at={job.runAt} />,
          },
          job.lockedBy
            ? {
                label: t('jobs:details.claimedBy'),
                value: <span className="ph-mono">{job.lockedBy}</span>,
              }
            : null,
          job.lockedAt
            ? { label: t('jobs:details.claimedAt'), value: <Time at={job.lockedAt} /> }
            : null,
          job.delivery?.parkedAt
            ? { label: t('jobs:details.parkedAt'), value: <Time at={job.delivery.parkedAt} /> }
            : null,
        ]}
      />
      {job.delivery && (
        <Text size="sm">
          <OrganizationLink
            organizationId={job.organization?.id ?? null}
            path={`/deliveries/${job.delivery.id}`}
          >
            {t('jobs:details.open')}
          </OrganizationLink>
        </Text>
      )}
    </Stack>
  )
}
