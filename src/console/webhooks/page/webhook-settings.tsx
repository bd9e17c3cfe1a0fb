import { Anchor, Button, Stack, Text } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { Link } from 'react-router'
import { Id } from '../../components/id.tsx'
import { Facts } from '../../components/page/facts.tsx'
import { Section } from '../../components/page/section.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount, formatDuration } from '../../format.ts'
import type { WebhookSettingsFragment } from '../../generated/graphql.ts'
import { useSession } from '../../session/session.tsx'
import { t } from '../../strings/t.ts'
import { summaryOf } from '../form/retry-schedule.tsx'
import { CustomHeaders } from '../headers/custom-headers.tsx'

export function WebhookSettings({ webhook }: { webhook: WebhookSettingsFragment }) {
  const { can } = useSession()
  const { rateLimitPerSecond, effectiveSettings } = webhook
  const { retryScheduleSeconds, timeoutSeconds } = effectiveSettings
  const markDefault = (own: unknown) =>
    own == null ? t('webhooks:webhookSettings.defaultSuffix') : ''
  return (
    <Stack gap="lg">
      <Section
        title={t('webhooks:webhookSettings.title')}
        actions={
          can('webhooks:write') && (
            <Button
              component={Link}
              to={`/webhooks/${webhook.id}/edit`}
              variant="default"
              size="xs"
              leftSection={<IconPencil size={14} />}
            >
              {t('webhooks:webhookSettings.edit')}
            </Button>
          )
        }
      >
        <Facts
          facts={[
            { label: t('webhooks:webhookSettings.id'), value: <Id id={webhook.id} /> },
            { label: t('webhooks:webhookSettings.enabled'), value: yesNo(webhook.enabled) },
            {
              label: t('webhooks:webhookSettings.created'),
              value: <Time at={webhook.createdAt} />,
            },
            {
              label: t('webhooks:webhookSettings.updated'),
              value: <Time at={webhook.updatedAt} />,
            },
          ]}
        />
      </Section>
      <Section title={t('webhooks:webhookSettings.eventsTitle')}>
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
      <Section title={t('webhooks:webhookSettings.optionsTitle')}>
        <Facts
          facts={[
            {
              label: t('webhooks:webhookSettings.rateLimit'),
              value: rateLimitPerSecond
                ? t('webhooks:webhookSettings.perSecond', { rate: formatCount(rateLimitPerSecond) })
                : t('webhooks:webhookSettings.noRateLimit'),
            },
            {
              label: t('webhooks:webhookSettings.concurrency'),
              value: webhook.maxInFlight ?? t('webhooks:sendOptions.concurrencyPlaceholder'),
            },
            {
              label: t('webhooks:webhookSettings.timeout'),
              value: formatDuration(1_000 * timeoutSeconds) + markDefault(webhook.timeoutSeconds),
            },
            { label: t('webhooks:webhookSettings.ordered'), value: yesNo(webhook.ordered) },
            {
              label: t('webhooks:webhookSettings.retries'),
              value: summaryOf(retryScheduleSeconds) + markDefault(webhook.retryScheduleSeconds),
            },
          ]}
        />
        {retryScheduleSeconds.length > 0 && (
          <Text size="sm" c="dimmed">
            {t('webhooks:webhookSettings.delays', {
              delays: retryScheduleSeconds.map((s) => formatDuration(1_000 * s)).join(', '),
            })}
          </Text>
        )}
      </Section>
    </Stack>
  )
}

function yesNo(yes: boolean): string {
  return yes ? t('webhooks:webhookSettings.yes') : t('webhooks:webhookSettings.no')
}
