import { Skeleton, Stack } from '@mantine/core'
import { useMemo } from 'react'
import { useNavigate, useParams } from 'react-router'
import { useAction } from '../../api/use-action.ts'
import { useRead } from '../../api/use-read.ts'
import { notifySuccess } from '../../components/notify.ts'
import { Page } from '../../components/page/page.tsx'
import { QueryError } from '../../components/query-error.tsx'
import {
  WebhookDetailDocument,
  type WebhookSettingsFragment,
  WebhookUpdateDocument,
} from '../../generated/graphql.ts'
import { useSession } from '../../session/session.tsx'
import NotFoundPage from '../../shell/not-found-page.tsx'
import { t } from '../../strings/t.ts'
import { NotAllowed } from '../not-allowed.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { changesOf, valuesOf, type WebhookFormValues } from './webhook-form-values.ts'

export default function EditWebhookPage() {
  const { id = '' } = useParams()
  const { can } = useSession()
  const { data, error, reload } = useRead(
    WebhookDetailDocument,
    { id },
    // Edits the current settings rather than cached ones.
    { requestPolicy: 'network-only' },
  )
  if (data && !data.webhook && !error)
    return <NotFoundPage noun={t('webhooks:editWebhookPage.noun')} />
  const webhook = data?.webhook
  return (
    <Page
      title={t('webhooks:editWebhookPage.title')}
      breadcrumbs={[
        ['Webhooks', '/webhooks'],
        [webhook?.url ?? id, `/webhooks/${id}`],
      ]}
    >
      {!can('webhooks:write') ? (
        <NotAllowed scope="webhooks:write" />
      ) : webhook ? (
        <Edit webhook={webhook} />
      ) : error ? (
        <QueryError error={error} retry={reload} />
      ) : (
        <Stack gap="lg" aria-busy="true">
          <Skeleton height={280} />
          <Skeleton height={180} />
        </Stack>
      )}
    </Page>
  )
}

function Edit({ webhook }: { webhook: WebhookSettingsFragment }) {
  const navigate = useNavigate()
  const { run } = useAction(WebhookUpdateDocument)
  const back = `/webhooks/${webhook.id}`
  // A reload in the background does not discard typed values.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the values when the page was opened
  const before = useMemo(() => valuesOf(webhook), [webhook.id])

  async function save(after: WebhookFormValues) {
    const outcome = await run({ id: webhook.id, input: changesOf(before, after) })
    if (!outcome.ok) return outcome
    notifySuccess('Webhook saved.')
    navigate(back)
    return null
  }

  return (
    <WebhookForm
      initial={before}
      action={t('webhooks:editWebhookPage.save')}
      save={save}
      back={back}
    />
  )
}
