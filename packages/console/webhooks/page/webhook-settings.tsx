import { Accordion, Anchor, Button, Skeleton, Stack, Text } from '@mantine/core'
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

/** The settings of a webhook. Those that are rarely set are folded while they have their default. */
export function WebhookSettings({ webhook }: { webhook: WebhookSettingsFragment }) {
  const { can } = useSession()
  const { id, filterText, selection, template } = webhook
  const patterns = webhook.subscriptions.filter(isPattern)
  const facts = factsOf(webhook)
  return (
    <Stack gap="lg">
      <Section
        title={t('Webhook')}
        actions={
          can('webhooks:write') && (
            <Button
              component={Link}
              to={`/webhooks/${id}/edit`}
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
      <Accordion variant="contained" chevronPosition="left">
        <Accordion.Item value="advanced">
          <Accordion.Control>Advanced: settings with their default</Accordion.Control>
          <Accordion.Panel>
            <Facts facts={facts.filter(({ isDefault }) => isDefault)} />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Stack>
  )
}

/** Only of webhooks whose endpoint has answered a challenge. */
function endpointOf({ endpointVerifiedAt }: WebhookSettingsFragment) {
  return endpointVerifiedAt
    ? [{ label: 'Endpoint verified', value: <Time at={endpointVerifiedAt} /> }]
    : []
}
