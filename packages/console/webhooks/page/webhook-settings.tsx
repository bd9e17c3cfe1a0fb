import { Anchor, Skeleton, Stack, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { Link } from 'react-router'
import { Id } from '../../components/copy-button.tsx'
import { Folded } from '../../components/folded.tsx'
import { Facts } from '../../components/page/facts.tsx'
import { Section } from '../../components/page/section.tsx'
import { Time } from '../../components/time.tsx'
import type { WebhookSettingsFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { isPattern } from '../form/included-types.ts'
import { factsOf } from '../form/settings.ts'
import { CustomHeaders } from '../headers/custom-headers.tsx'

const FilterSummary = lazy(() =>
  import('../filter/filter-summary.tsx').then((m) => ({ default: m.FilterSummary })),
)

const BodySummary = lazy(() =>
  import('../body/body-summary.tsx').then((m) => ({ default: m.BodySummary })),
)

/** The settings of a webhook. Those that are rarely set are folded while they have their default. */
export function WebhookSettings({ webhook }: { webhook: WebhookSettingsFragment }) {
  const { id, filterText, selection, template } = webhook
  const patterns = webhook.subscriptions.filter(isPattern)
  const facts = factsOf(webhook)
  return (
    <Stack gap="lg">
      <Section title={t('Webhook')}>
        <Facts
          facts={[
            { label: t('Id'), value: <Id id={id} /> },
            { label: t('Enabled'), value: webhook.enabled ? 'Yes' : 'No' },
            { label: t('Created'), value: <Time at={webhook.createdAt} /> },
            { label: t('Updated'), value: <Time at={webhook.updatedAt} /> },
            ...endpointOf(webhook),
            ...facts.filter(({ isDefault }) => !isDefault),
          ]}
        />
      </Section>
      <Section title={t('Events')}>
        <Stack gap={4}>
          {patterns.length > 0 && (
            <Text size="sm">
              Patterns: <span className="ph-mono">{patterns.join(', ')}</span>. They also select
              types that are added later. Today:
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
      <Suspense fallback={<Skeleton height={80} />}>
        {filterText != null && <FilterSummary webhookId={id} filterText={filterText} />}
        <Section title={t('Body')}>
          {selection || template ? (
            <BodySummary webhook={webhook} />
          ) : (
            <Text size="sm">{t('The whole event')}</Text>
          )}
        </Section>
      </Suspense>
      {webhook.headerNames.length > 0 && <CustomHeaders webhook={webhook} />}
      <Folded summary="the settings that have their default">
        <Facts facts={facts.filter(({ isDefault }) => isDefault)} />
      </Folded>
    </Stack>
  )
}

/** Only of webhooks whose endpoint has answered a challenge. */
function endpointOf({ endpointVerifiedAt }: WebhookSettingsFragment) {
  return endpointVerifiedAt
    ? [{ label: 'Endpoint verified', value: <Time at={endpointVerifiedAt} /> }]
    : []
}
