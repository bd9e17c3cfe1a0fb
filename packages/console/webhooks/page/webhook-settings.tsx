import { Anchor, Button, Skeleton, Stack, Text } from '@mantine/core'
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

export function WebhookSettings({ webhook }: { webhook: WebhookSettingsFragment }) {
  const { can } = useSession()
  const { retryScheduleSeconds } = webhook.effectiveSettings
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
            ...uidOf(webhook),
            { label: t('Enabled'), value: yesNo(webhook.enabled) },
            { label: t('Created'), value: <Time at={webhook.createdAt} /> },
            { label: t('Updated'), value: <Time at={webhook.updatedAt} /> },
            ...endpointOf(webhook),
            ...labelsOf(webhook),
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
        <Facts
          facts={[
            ...NUMBER_SETTINGS.map(({ label, shown }) => ({
              label: label(),
              value: shown(webhook),
            })),
            { label: 'Ordered', value: yesNo(webhook.ordered) },
            ...headerNamesOf(webhook),
            {
              label: 'Payloads after delivery',
              value: kept(webhook.effectiveSettings.keepPayloads),
            },
            {
              label: 'Response bodies',
              value: kept(webhook.effectiveSettings.keepResponseBodies),
            },
            {
              label: t('Retries'),
              value:
                summaryOf(retryScheduleSeconds) +
                (webhook.retryScheduleSeconds == null ? ` ${t('(default)')}` : ''),
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

const kept = (keeps: boolean) => (keeps ? 'Kept' : 'Not kept')

/** Only of webhooks whose endpoint has answered a challenge. */
function endpointOf({ endpointVerifiedAt }: WebhookSettingsFragment) {
  return endpointVerifiedAt
    ? [{ label: 'Endpoint verified', value: <Time at={endpointVerifiedAt} /> }]
    : []
}

/** Only of a webhook with other names than those of the installation. */
function headerNamesOf({ headerPrefix }: WebhookSettingsFragment) {
  if (!headerPrefix) return []
  const names = ['id', 'timestamp', 'signature'].map((name) => headerPrefix + name)
  return [{ label: 'Header names', value: names.join(', ') }]
}

/** The portal does not show it: it is a name of the organization's own programs, as the labels are. */
function uidOf({ uid }: WebhookSettingsFragment) {
  if (portalLink !== null || !uid) return []
  const value = <CopyableLine text={uid} label={t('Copy {id}', { id: uid })} />
  return [{ label: 'Uid', value }]
}

function labelsOf({ metadata }: WebhookSettingsFragment) {
  const labels = printLabels(metadata as Labels)
  if (portalLink !== null || labels === '') return []
  return [{ label: 'Labels', value: <Lines text={labels} /> }]
}

function Lines({ text }: { text: string }) {
  return (
    <Text inherit className="ph-mono" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {text}
    </Text>
  )
}

function yesNo(yes: boolean): string {
  return yes ? 'Yes' : 'No'
}
