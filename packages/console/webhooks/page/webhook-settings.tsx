import { Anchor, Button, Skeleton, Stack, Text } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import { Link } from 'react-router'
import { Id } from '../../components/copy-button.tsx'
import { Facts } from '../../components/page/facts.tsx'
import { Section } from '../../components/page/section.tsx'
import { Time } from '../../components/time.tsx'
import type { WebhookSettingsFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { isPattern } from '../form/included-types.ts'
import { factsOf } from '../form/settings.ts'
import { CustomHeaders } from '../headers/custom-headers.tsx'

const FilterSummary = lazy(() =>
  import('../filter/filter-summary.tsx').then((m) => ({ default: m.FilterSummary })),
)

const BodySummary = lazy(() =>
  import('../body/body-summary.tsx').then((m) => ({ default: m.BodySummary })),
)

export function WebhookSettings({ webhook }: { webhook: WebhookSettingsFragment }) {
  const { can } = useSession()
  const patterns = webhook.subscriptions.filter(isPattern)
  return (
    <Stack gap="lg">
      <Section
        title={t('Webhook')}
        actions={
          can('webhooks:write') && (
            <Button
              component={Link}
              to={`/webhooks/${webhook.id}/edit`}
              variant="default"
              size="xs"
              leftSection={<IconPencil size={14} />}
            >
              {t('Edit')}
            </Button>
          )
        }
      >
        <Facts
          facts={[
            { label: t('Id'), value: <Id id={webhook.id} /> },
            { label: t('Enabled'), value: webhook.enabled ? 'Yes' : 'No' },
            { label: t('Created'), value: <Time at={webhook.createdAt} /> },
            { label: t('Updated'), value: <Time at={webhook.updatedAt} /> },
            ...endpointOf(webhook),
          ]}
        />
      </Section>
      <Section title={t('Events')}>
        <Stack gap={4}>
          {patterns.length > 0 && (
            <Text size="sm">
              Patterns: <span className="ph-mono">{patterns.join(', ')}</span>. They include types
              that come later. Today:
            </Text>
          )}
          {webhook.eventSubscriptions.map(({ name }) => (
            <Text key={name} size="sm" className="ph-mono">
              <Anchor component={Link} to={`/event-types/${encodeURIComponent(name)}`} inherit>
                {name}
              </Anchor>
            </Text>
          ))}
        </Stack>
      </Section>
      {webhook.filterText !== null && webhook.filterText !== undefined && (
        <Suspense fallback={<Skeleton height={80} />}>
          <FilterSummary webhookId={webhook.id} filterText={webhook.filterText} />
        </Suspense>
      )}
      <Section title={t('Body')}>
        {webhook.selection || webhook.template ? (
          <Suspense fallback={<Skeleton height={80} />}>
            <BodySummary webhook={webhook} />
          </Suspense>
        ) : (
          <Text size="sm">{t('The whole event')}</Text>
        )}
      </Section>
      <CustomHeaders webhook={webhook} />
      <Section title={t('Delivery options')}>
        <Facts facts={factsOf(webhook)} />
      </Section>
    </Stack>
  )
}

/** Only of webhooks whose endpoint has answered a challenge. */
function endpointOf({ endpointVerifiedAt }: WebhookSettingsFragment) {
  return endpointVerifiedAt
    ? [{ label: 'Endpoint verified', value: <Time at={endpointVerifiedAt} /> }]
    : []
}
