import { Anchor, Button, Stack, Text } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { Link } from 'react-router'
import { Id } from '../../components/copy-button.tsx'
import { Facts } from '../../components/page/facts.tsx'
import { Section } from '../../components/page/section.tsx'
import { Time } from '../../components/time.tsx'
import type { WebhookSettingsFragment } from '../../generated/graphql.ts'
import { formatCount, formatDuration } from '../../lib/format.ts'
import { useSession } from '../../session/session.tsx'
import { summaryOf } from '../form/retry-schedule.tsx'
import { CustomHeaders } from '../headers/custom-headers.tsx'

export function WebhookSettings({ webhook }: { webhook: WebhookSettingsFragment }) {
  const { can } = useSession()
  const { rateLimitPerSecond, effectiveSettings } = webhook
  const { retryScheduleSeconds, timeoutSeconds } = effectiveSettings
  const markDefault = (own: unknown) => (own == null ? ' (default)' : '')
  return (
    <Stack gap="lg">
      <Section
        title="Webhook"
        actions={
          can('webhooks:write') && (
            <Button
              component={Link}
              to={`/webhooks/${webhook.id}/edit`}
              variant="default"
              size="xs"
              leftSection={<IconPencil size={14} />}
            >
              Edit
            </Button>
          )
        }
      >
        <Facts
          facts={[
            { label: 'Id', value: <Id id={webhook.id} /> },
            { label: 'Enabled', value: yesNo(webhook.enabled) },
            { label: 'Created', value: <Time at={webhook.createdAt} /> },
            { label: 'Updated', value: <Time at={webhook.updatedAt} /> },
          ]}
        />
      </Section>
      <Section title="Events">
        <Stack gap={4}>
          {webhook.eventSubscriptions.map(({ name }) => (
            <Text key={name} size="sm" className="ph-mono">
              <Anchor component={Link} to={`/event-types/${encodeURIComponent(name)}`} inherit>
                {name}
              </Anchor>
            </Text>
          ))}
        </Stack>
      </Section>
      <CustomHeaders webhook={webhook} />
      <Section title="Delivery options">
        <Facts
          facts={[
            {
              label: 'Rate limit',
              value: rateLimitPerSecond ? `${formatCount(rateLimitPerSecond)} per second` : 'None',
            },
            { label: 'Concurrency per worker', value: webhook.maxInFlight ?? 'Adaptive' },
            {
              label: 'Timeout',
              value: formatDuration(1_000 * timeoutSeconds) + markDefault(webhook.timeoutSeconds),
            },
            { label: 'Ordered', value: yesNo(webhook.ordered) },
            {
              label: 'Retries',
              value: summaryOf(retryScheduleSeconds) + markDefault(webhook.retryScheduleSeconds),
            },
          ]}
        />
        {retryScheduleSeconds.length > 0 && (
          <Text size="sm" c="dimmed">
            {`Delays: ${retryScheduleSeconds.map((s) => formatDuration(1_000 * s)).join(', ')}.`}
          </Text>
        )}
      </Section>
    </Stack>
  )
}

function yesNo(yes: boolean): string {
  return yes ? 'Yes' : 'No'
}
