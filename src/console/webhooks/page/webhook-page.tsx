import { Skeleton, Tabs } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { useParams, useSearchParams } from 'react-router'
import { useRead } from '../../api/use-read.ts'
import { Failure } from '../../components/failure.tsx'
import { Page } from '../../components/page/page.tsx'
import { WebhookDetailDocument } from '../../generated/graphql.ts'
import { useSession } from '../../session/session.tsx'
import NotFoundPage from '../../shell/not-found-page.tsx'
import { WebhookActions } from '../actions/webhook-actions.tsx'
import { useHealthChanges } from '../health/use-health-changes.ts'
import { WebhookState } from '../health/webhook-state.tsx'
import { WebhookDeliveries } from './webhook-deliveries.tsx'
import { WebhookOverview } from './webhook-overview.tsx'
import { WebhookSettings } from './webhook-settings.tsx'

const WebhookSecret = lazy(() =>
  import('../secret/webhook-secret.tsx').then((m) => ({ default: m.WebhookSecret })),
)

export default function WebhookPage() {
  const { id = '' } = useParams()
  const { can } = useSession()
  const [params, setParams] = useSearchParams()
  const { data, error, reload } = useRead(WebhookDetailDocument, { id })
  useHealthChanges(id, reload)
  const webhook = data?.webhook

  if (!webhook) {
    if (data && !error) return <NotFoundPage what="webhook" />
    return (
      <Page title="Webhook" above={[['Webhooks', '/webhooks']]}>
        {error ? <Failure error={error} retry={reload} /> : <Skeleton height={320} />}
      </Page>
    )
  }
  const tabs = [
    ...(can('deliveries:read') ? (['overview', 'deliveries'] as const) : []),
    ...(can('secrets:read') || can('secrets:rotate') ? (['secret'] as const) : []),
    'settings' as const,
  ]
  const tab = tabs.find((name) => name === params.get('tab')) ?? tabs[0]
  return (
    <Page
      title={webhook.url}
      above={[['Webhooks', '/webhooks']]}
      aside={<WebhookState {...webhook} />}
      description={webhook.description}
      actions={<WebhookActions webhook={webhook} />}
    >
      {/* What another tab keeps in the address, such as filters, is left behind. */}
      <Tabs value={tab} onChange={(name) => name && setParams({ tab: name })} keepMounted={false}>
        <Tabs.List mb="lg">
          {tabs.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {LABELS[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="overview">
          <WebhookOverview webhook={webhook} reload={reload} />
        </Tabs.Panel>
        <Tabs.Panel value="deliveries">
          <WebhookDeliveries webhookId={webhook.id} />
        </Tabs.Panel>
        <Tabs.Panel value="secret">
          <Suspense fallback={<Skeleton height={320} />}>
            <WebhookSecret webhookId={webhook.id} headerPrefix={webhook.deliveryHeaderPrefix} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <WebhookSettings webhook={webhook} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}

const LABELS = {
  overview: 'Overview',
  deliveries: 'Deliveries',
  secret: 'Signing secret',
  settings: 'Settings',
}
