import { Text } from '@mantine/core'
import { useNavigate, useSearchParams } from 'react-router'
import { useAction } from '../../api/use-action.ts'
import { readList } from '../../components/filters/filter-params.ts'
import { notifySuccess } from '../../components/notify.ts'
import { NotAllowed } from '../../components/page/needs-scope.tsx'
import { Page } from '../../components/page/page.tsx'
import { WebhookCreateDocument } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { mount } from '../../mount.ts'
import { useSession } from '../../session/session.tsx'
import { WORDS } from '../../session/words.ts'
import { WebhookForm } from './webhook-form.tsx'
import { NEW_WEBHOOK, newWebhookOf, type WebhookFormValues } from './webhook-form-values.ts'

export default function NewWebhookPage() {
  const { can, webhookId } = useSession()
  const navigate = useNavigate()
  const [params] = useSearchParams()
  const { run } = useAction(WebhookCreateDocument)

  async function save(values: WebhookFormValues) {
    const outcome = await run({ input: newWebhookOf(values) })
    if (!outcome.ok) return outcome
    notifySuccess(t('Webhook created.'))
    const { id } = outcome.value.webhook
    const tab = can('secrets:read') ? '?tab=secret' : ''
    navigate(`/webhooks/${id}${tab}`, { replace: true, state: { showsSecret: true } })
    return null
  }

  return (
    <Page
      title={WORDS.create}
      breadcrumbs={[[WORDS.webhooks, '/webhooks']]}
      description={t(
        'Register the URL of an endpoint. You get a signing secret, with which the receiver verifies deliveries.',
      )}
    >
      {mount.kind === 'console' && (
        <Text size="sm" c="dimmed">
          To try it without a server of your own, run{' '}
          <code className="ph-mono">npx posthorn listen --register</code>: the command creates a
          webhook and prints its deliveries.
        </Text>
      )}
      {webhookId === null && can('webhooks:write') ? (
        <WebhookForm
          initial={{ ...NEW_WEBHOOK, eventSubscriptions: [...readList(params.get('eventTypes'))] }}
          isNew
          action={WORDS.create}
          save={save}
          back="/webhooks"
        />
      ) : (
        <NotAllowed scope="webhooks:write" />
      )}
    </Page>
  )
}
