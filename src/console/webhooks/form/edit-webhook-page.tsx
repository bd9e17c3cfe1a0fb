import { Skeleton, Stack } from '@mantine/core'
import { useMemo } from 'react'
import { useNavigate, useParams } from 'react-router'
import { useAction } from '../../api/use-action.ts'
import { useRead } from '../../api/use-read.ts'
import { Failure } from '../../components/failure.tsx'
import { notifyDone } from '../../components/notify.ts'
import { Page } from '../../components/page/page.tsx'
import {
  WebhookDetailDocument,
  type WebhookSettingsFragment,
  WebhookUpdateDocument,
} from '../../generated/graphql.ts'
import { useSession } from '../../session/session.tsx'
import NotFoundPage from '../../shell/not-found-page.tsx'
import { NotAllowed } from '../not-allowed.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { changesOf, valuesOf, type WebhookFormValues } from './webhook-form-values.ts'

export default function EditWebhookPage() {
  const { id = '' } = useParams()
  const { can } = useSession()
  const { data, error, reload } = useRead(
    WebhookDetailDocument,
    { id },
    // To be changed as it is, not as it was when it was last looked at.
    { requestPolicy: 'network-only' },
  )
  if (data && !data.webhook && !error) return <NotFoundPage what="webhook" />
  const webhook = data?.webhook
  return (
    <Page
      title="Edit webhook"
      above={[
        ['Webhooks', '/webhooks'],
        [webhook?.url ?? id, `/webhooks/${id}`],
      ]}
    >
      {!can('webhooks:write') ? (
        <NotAllowed scope="webhooks:write" />
      ) : webhook ? (
        <Edit webhook={webhook} />
      ) : error ? (
        <Failure error={error} retry={reload} />
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
  // What is typed stays when the webhook is read anew.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as it was when the page was opened
  const before = useMemo(() => valuesOf(webhook), [webhook.id])

  async function save(after: WebhookFormValues) {
    const outcome = await run({ id: webhook.id, input: changesOf(before, after) })
    if (!outcome.ok) return outcome
    notifyDone('The webhook was saved.')
    navigate(back)
    return null
  }

  return <WebhookForm initial={before} action="Save" save={save} back={back} />
}
