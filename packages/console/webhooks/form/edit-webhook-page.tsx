import { Skeleton, Stack } from '@mantine/core'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { useAction } from '../../api/use-action.ts'
import { useRead } from '../../api/use-read.ts'
import { useEditConflict } from '../../components/forms/edit-conflicts.tsx'
import { notifySuccess } from '../../components/notify.ts'
import { NotAllowed } from '../../components/page/needs-scope.tsx'
import { Page } from '../../components/page/page.tsx'
import { QueryError } from '../../components/query-error.tsx'
import {
  WebhookDetailDocument,
  type WebhookSettingsFragment,
  WebhookUpdateDocument,
} from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { WORDS } from '../../session/words.ts'
import NotFoundPage from '../../shell/not-found-page.tsx'
import { webhookName } from '../webhook-name.ts'
import { WebhookForm } from './webhook-form.tsx'
import { changesOf, valuesOf, type WebhookFormValues } from './webhook-form-values.ts'

export default function EditWebhookPage() {
  const { id = '' } = useParams()
  const { can } = useSession()
  // Edits the current settings rather than cached ones.
  const { data, error, reload } = useRead(
    WebhookDetailDocument,
    { id },
    { requestPolicy: 'network-only' },
  )
  if (data && !data.webhook && !error) return <NotFoundPage noun={WORDS.noun} />
  const webhook = data?.webhook
  return (
    <Page
      title={t('Edit webhook')}
      breadcrumbs={[
        [WORDS.webhooks, '/webhooks'],
        [webhook ? webhookName(webhook) : id, `/webhooks/${id}`],
      ]}
    >
      {!can('webhooks:write') ? (
        <NotAllowed scope="webhooks:write" />
      ) : webhook ? (
        <Edit key={webhook.id} webhook={webhook} />
      ) : error ? (
        <QueryError error={error} reload={reload} />
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
  // The values when the page was opened: a reload in the background does not discard typed values.
  const [before] = useState(() => valuesOf(webhook))
  const { ifRevision, conflict, report } = useEditConflict(webhook.revision)

  async function save(after: WebhookFormValues) {
    const input = { ...changesOf(before, after), ifRevision }
    const outcome = await run({ id: webhook.id, input })
    if (!outcome.ok) {
      report(outcome.conflict ?? null)
      return outcome
    }
    notifySuccess(t('Webhook saved.'))
    navigate(back)
    return null
  }

  return (
    <WebhookForm
      initial={before}
      isNew={false}
      action={t('Save')}
      save={save}
      back={back}
      conflict={conflict}
    />
  )
}
