import { useParams } from 'react-router'
import { useRead } from '../api/use-read.ts'
import { NotAllowed } from '../components/page/needs-scope.tsx'
import { Page } from '../components/page/page.tsx'
import { Section } from '../components/page/section.tsx'
import { DetailSkeleton } from '../components/page/skeletons.tsx'
import { QueryError } from '../components/query-error.tsx'
import { RecoverWebhookDocument } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { useSession } from '../session/session.tsx'
import { WORDS } from '../session/words.ts'
import NotFoundPage from '../shell/not-found-page.tsx'
import { TroubleNotice } from '../webhooks/health/trouble-notice.tsx'
import { useHealthChanges } from '../webhooks/health/use-health-changes.ts'
import { webhookName } from '../webhooks/webhook-name.ts'
import { RecoverForm } from './recover-form.tsx'
import { TaskList } from './task-list.tsx'

export default function RecoverPage() {
  const { id = '' } = useParams()
  const { can } = useSession()
  const { data, error, reload } = useRead(RecoverWebhookDocument, { id })
  useHealthChanges(id, reload)
  const webhook = data?.webhook
  const mayRecover = can('deliveries:write')
  if (data && !webhook && !error) return <NotFoundPage noun={WORDS.noun} />
  return (
    <Page
      title={t('Recover deliveries')}
      breadcrumbs={[
        [WORDS.webhooks, '/webhooks'],
        [webhook ? webhookName(webhook) : id, `/webhooks/${id}`],
      ]}
      description="Re-sends the events that this webhook missed or failed to accept in a time range. You can repeat a recovery safely: no delivery that succeeded is sent again."
    >
      {error && !webhook && <QueryError error={error} reload={reload} />}
      {!webhook && !error && <DetailSkeleton />}
      {webhook?.health?.state === 'ON_HOLD' && (
        <TroubleNotice webhook={webhook}>
          The webhook is on hold: re-sent deliveries wait, too.
        </TroubleNotice>
      )}
      {webhook?.health?.state === 'DISABLED' && (
        <TroubleNotice webhook={webhook}>Nothing is re-sent before it is enabled.</TroubleNotice>
      )}
      {!mayRecover && <NotAllowed scope="deliveries:write" />}
      {webhook && mayRecover && <RecoverForm webhook={webhook} />}
      {webhook && can('deliveries:read') && (
        <Section title="Recoveries">
          <TaskList label="Recoveries" webhookId={id} />
        </Section>
      )}
    </Page>
  )
}
