import { Accordion, Anchor, Button, Skeleton, Stack, Text } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import { Link } from 'react-router'
import { CopyableLine, Id } from '../../components/copy-button.tsx'
import { Facts } from '../../components/page/facts.tsx'
import { Section } from '../../components/page/section.tsx'
import { Time } from '../../components/time.tsx'
import type { WebhookSettingsFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatDuration } from '../../lib/format.ts'
import { type Labels, printLabels } from '../../lib/labels.ts'
import { portalLink } from '../../session/portal.ts'
import { useSession } from '../../session/session.tsx'
import { NUMBER_SETTINGS } from '../form/number-settings.ts'
import { summaryOf } from '../form/retry-schedule.tsx'
import { isPattern } from '../form/subscriptions.ts'
import { CustomHeaders } from '../headers/custom-headers.tsx'

const FilterSummary = lazy(() =>
  import('../filter/filter-summary.tsx').then((m) => ({ default: m.FilterSummary })),
)

const BodySummary = lazy(() =>
  import('../body/body-summary.tsx').then((m) => ({ default: m.BodySummary })),
)

/** The settings of a webhook. Those with their default are folded. */
export function WebhookSettings({ webhook }: { webhook: WebhookSettingsFragment }) {
  const { can } = useSession()
  const { id, filterText, selection, template, uid, endpointVerifiedAt } = webhook
  const patterns = webhook.subscriptions.filter(isPattern)
  const labels = printLabels(webhook.metadata as Labels)
  // Names of the organization's own programs, which its customers do not see.
  const isOwn = portalLink === null
  const options = optionsOf(webhook)
  const chosen = options.filter(({ isDefault }) => !isDefault)
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
            isOwn &&
              Boolean(uid) && {
                label: 'Uid',
                value: <CopyableLine text={uid ?? ''} label={t('Copy {id}', { id: uid ?? '' })} />,
              },
            { label: t('Enabled'), value: yesNo(webhook.enabled) },
            { label: t('Created'), value: <Time at={webhook.createdAt} /> },
            { label: t('Updated'), value: <Time at={webhook.updatedAt} /> },
            endpointVerifiedAt != null && {
              label: 'Endpoint verified',
              value: <Time at={endpointVerifiedAt} />,
            },
            isOwn &&
              labels !== '' && {
                label: 'Labels',
                value: (
                  <Text inherit className="ph-mono" style={{ whiteSpace: 'pre-wrap' }}>
                    {labels}
                  </Text>
                ),
              },
            ...chosen,
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
            <Facts facts={options.filter(({ isDefault }) => isDefault)} />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Stack>
  )
}

/** What is rarely set, in words. */
function optionsOf(webhook: WebhookSettingsFragment) {
  const { headerPrefix, ordered, effectiveSettings, deliveryHeaderPrefix } = webhook
  const { retryScheduleSeconds, keepPayloads, keepResponseBodies } = effectiveSettings
  const delays = retryScheduleSeconds.map((seconds) => formatDuration(1_000 * seconds)).join(', ')
  return [
    {
      label: t('Retries'),
      value: delays ? `${summaryOf(retryScheduleSeconds)}: ${delays}` : t('None'),
      isDefault: webhook.retryScheduleSeconds == null,
    },
    ...NUMBER_SETTINGS.map(({ name, label, shown }) => ({
      label: label(),
      value: shown(webhook),
      isDefault: webhook[name] == null,
    })),
    { label: 'Ordered', value: yesNo(ordered), isDefault: !ordered },
    {
      label: 'Header prefix',
      value: deliveryHeaderPrefix,
      isDefault: headerPrefix == null,
    },
    {
      label: 'Payloads after delivery',
      value: keepPayloads ? 'Kept' : 'Erased',
      isDefault: keepPayloads,
    },
    {
      label: 'Response bodies',
      value: keepResponseBodies ? 'Kept' : 'Not kept',
      isDefault: keepResponseBodies,
    },
  ]
}

function yesNo(yes: boolean): string {
  return yes ? 'Yes' : 'No'
}
