import { Skeleton, Stack, Tabs } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { useParams, useSearchParams } from 'react-router'
import { useRead } from '../../api/use-read.ts'
import { CopyableLine } from '../../components/copy-button.tsx'
import { Page } from '../../components/page/page.tsx'
import { DetailSkeleton } from '../../components/page/skeletons.tsx'
import { QueryError } from '../../components/query-error.tsx'
import { WebhookDetailDocument } from '../../generated/graphql.ts'
import { Acknowledge, Acknowledgment } from '../../incidents/acknowledge.tsx'
import { t } from '../../language/t.ts'
import { maskUrl } from '../../lib/mask-url.ts'
import { useSession } from '../../session/session.tsx'
import { WORDS } from '../../session/words.ts'
import NotFoundPage from '../../shell/not-found-page.tsx'
import { WebhookActions } from '../actions/webhook-actions.tsx'
import { TroubleNotice } from '../health/trouble-notice.tsx'
import { useHealthChanges } from '../health/use-health-changes.ts'
import { WebhookState } from '../health/webhook-state.tsx'
import { WebhookStatistics } from '../health/webhook-statistics.tsx'
import { webhookName } from '../webhook-name.ts'
import { RecentDeliveries, WebhookDeliveries } from './webhook-deliveries.tsx'
import { WebhookSettings } from './webhook-settings.tsx'

const WebhookSecret = lazy(() =>
  import('../secret/webhook-secret.tsx').then((m) => ({ default: m.WebhookSecret })),
)

const IncidentHistory = lazy(() =>
  import('../../incidents/incident-history.tsx').then((m) => ({ default: m.IncidentHistory })),
)

const WebhookHistory = lazy(() =>
  import('../../audit/webhook-history.tsx').then((m) => ({ default: m.WebhookHistory })),
)

export default function WebhookPage() {
  const { id = '' } = useParams()
  const { can } = useSession()
  const [params, setParams] = useSearchParams()
  const { data, error, reload } = useRead(WebhookDetailDocument, { id })
  useHealthChanges(id, reload)
  const webhook = data?.webhook

  if (!webhook) {
    if (data && !error) return <NotFoundPage noun={WORDS.noun} />
    return (
      <Page title={WORDS.webhook} breadcrumbs={[[WORDS.webhooks, '/webhooks']]}>
        {error ? <QueryError error={error} reload={reload} /> : <DetailSkeleton />}
      </Page>
    )
  }
  const { openIncident } = webhook
  const name = webhookName(webhook)
  const tabs = TABS.filter(({ scopes }) => !scopes || scopes.some(can))
  const tab = tabs.find(({ value }) => value === params.get('tab')) ?? tabs[0]
  return (
    <Page
      title={name}
      breadcrumbs={[[WORDS.webhooks, '/webhooks']]}
      aside={<WebhookState {...webhook} />}
      subtitle={
        <CopyableLine text={maskUrl(webhook.url)} value={webhook.url} label={t('Copy the URL')} />
      }
      actions={<WebhookActions webhook={webhook} />}
    >
      {/* Switching tabs drops the query parameters of the previous tab, such as filters. */}
      <Tabs
        value={tab?.value ?? null}
        onChange={(next) => next && setParams({ tab: next })}
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          {tabs.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Suspense fallback={<Skeleton height={320} />}>
          <Tabs.Panel value="overview">
            <Stack gap="lg">
              <TroubleNotice
                webhook={webhook}
                action={openIncident && <Acknowledge incident={openIncident} name={name} />}
              >
                {openIncident && <Acknowledgment incident={openIncident} />}
              </TroubleNotice>
              <WebhookStatistics webhook={webhook} />
              <RecentDeliveries webhookId={webhook.id} />
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="deliveries">
            <WebhookDeliveries webhookId={webhook.id} />
          </Tabs.Panel>
          <Tabs.Panel value="secret">
            <WebhookSecret webhookId={webhook.id} headerPrefix={webhook.deliveryHeaderPrefix} />
          </Tabs.Panel>
          <Tabs.Panel value="settings">
            <WebhookSettings webhook={webhook} />
          </Tabs.Panel>
          <Tabs.Panel value="history">
            <Stack gap="lg">
              <IncidentHistory webhookId={webhook.id} />
              <WebhookHistory webhookId={webhook.id} />
            </Stack>
          </Tabs.Panel>
        </Suspense>
      </Tabs>
    </Page>
  )
}

const TABS = [
  { value: 'overview', label: t('Overview'), scopes: ['deliveries:read'] },
  { value: 'deliveries', label: t('Deliveries'), scopes: ['deliveries:read'] },
  { value: 'secret', label: t('Signing secret'), scopes: ['secrets:read', 'secrets:rotate'] },
  { value: 'settings', label: t('Settings'), scopes: null },
  { value: 'history', label: t('History'), scopes: ['keys:manage'] },
] as const
