import { useParams } from 'react-router'
import { usePageQuery } from '../api/page-query.ts'
import { DetailSkeleton } from '../components/page/detail-skeleton.tsx'
import { Page } from '../components/page/page.tsx'
import { QueryError } from '../components/query-error.tsx'
import { usePanel } from '../components/use-panel.ts'
import { useSession } from '../session/session.tsx'
import NotFoundPage from '../shell/not-found-page.tsx'
import { t } from '../strings/t.ts'
import { useHealthChanges } from '../webhooks/health/use-health-changes.ts'
import { NotAllowed } from '../webhooks/not-allowed.tsx'
import { webhookName } from '../webhooks/webhook-name.ts'
import { recoverQuery } from '../webhooks/webhook-queries.ts'
import { RecoverForm } from './recover-form.tsx'
import { RecoverNotice } from './recover-notice.tsx'
import { Recoveries } from './recoveries.tsx'
import { TaskPanel } from './task-panel.tsx'

export default function RecoverPage() {
  const { id = '' } = useParams()
  const { can } = useSession()
  const task = usePanel('task')
  const { data, error, reload } = usePageQuery(recoverQuery)
  useHealthChanges(id, reload)
  const webhook = data?.webhook
  const mayRecover = can('deliveries:write')
  if (data && !webhook && !error) return <NotFoundPage noun={t('webhooks:noun')} />
  return (
    <Page
      title={t('webhooks:recoverPage.title')}
      breadcrumbs={[
        [t('webhooks:title'), '/webhooks'],
        [webhook ? webhookName(webhook) : id, `/webhooks/${id}`],
      ]}
      description={t('webhooks:recoverPage.description')}
    >
      {error && !webhook && <QueryError error={error} retry={reload} />}
      {!webhook && !error && <DetailSkeleton />}
      {task.id !== null && <TaskPanel id={task.id} onClose={task.close} />}
      {webhook && <RecoverNotice webhook={webhook} reload={reload} />}
      {!mayRecover && <NotAllowed scope="deliveries:write" />}
      {webhook && mayRecover && <RecoverForm webhook={webhook} onStart={task.open} />}
      {webhook && can('deliveries:read') && <Recoveries webhookId={id} />}
    </Page>
  )
}
