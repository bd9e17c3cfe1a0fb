import { Accordion, Anchor, Button, Skeleton, Stack, Text } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { lazy, type ReactNode, Suspense } from 'react'
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
        <Facts facts={facts.filter(({ isDefault }) => !isDefault)} />
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

function factsOf(webhook: WebhookSettingsFragment) {
  const { id, uid, endpointVerifiedAt, effectiveSettings } = webhook
  const { retryScheduleSeconds, keepPayloads, keepResponseBodies } = effectiveSettings
  const delays = retryScheduleSeconds.map((seconds) => formatDuration(1_000 * seconds)).join(', ')
  const retries = `${summaryOf(retryScheduleSeconds)}${delays && `: ${delays}`}`
  const labels = printLabels(webhook.metadata as Labels)
  const own = [
    fact(
      'Uid',
      uid ? <CopyableLine text={uid} label={t('Copy {id}', { id: uid })} /> : 'None',
      !uid,
    ),
    fact('Labels', <Lines text={labels || 'None'} />, labels === ''),
  ]
  return [
    fact(t('Id'), <Id id={id} />),
    fact(t('Enabled'), yesNo(webhook.enabled)),
    fact(t('Created'), <Time at={webhook.createdAt} />),
    fact(t('Updated'), <Time at={webhook.updatedAt} />),
    ...(endpointVerifiedAt ? [fact('Endpoint verified', <Time at={endpointVerifiedAt} />)] : []),
    // Names of the organization's own programs, which its customers do not see.
    ...(portalLink === null ? own : []),
    fact(t('Retries'), retries, webhook.retryScheduleSeconds == null),
    ...NUMBER_SETTINGS.map(({ name, label, shown }) =>
      fact(label(), shown(webhook), webhook[name] == null),
    ),
    fact('Ordered', yesNo(webhook.ordered), !webhook.ordered),
    fact('Header prefix', webhook.deliveryHeaderPrefix, webhook.headerPrefix == null),
    fact('Keep payloads after delivery', yesNo(keepPayloads), keepPayloads),
    fact('Keep response bodies', yesNo(keepResponseBodies), keepResponseBodies),
  ]
}

const fact = (label: string, value: ReactNode, isDefault = false) => ({ label, value, isDefault })

const yesNo = (yes: boolean) => (yes ? 'Yes' : 'No')

const Lines = ({ text }: { text: string }) => (
  <Text inherit className="ph-mono" style={{ whiteSpace: 'pre-wrap' }}>
    {text}
  </Text>
)
