import { useParams, useSearchParams } from 'react-router'
import { usePageQuery } from '../../api/page-query.ts'
import { NotAllowed } from '../../components/page/needs-scope.tsx'
import { Page } from '../../components/page/page.tsx'
import { DetailSkeleton } from '../../components/page/skeletons.tsx'
import { QueryError } from '../../components/query-error.tsx'
import { useSession } from '../../session/session.tsx'
import NotFoundPage from '../../shell/not-found-page.tsx'
import { useHealthChanges } from '../health/use-health-changes.ts'
import { webhookName } from '../webhook-name.ts'
import { recoverQuery } from '../webhook-queries.ts'
import { PastRecoveries } from './past-recoveries.tsx'
import { RecoverForm } from './recover-form.tsx'
import { RecoverNotice } from './recover-notice.tsx'
import { RecoveryProgress } from './recovery-progress.tsx'

export default function RecoverPage() {
  const { id = '' } = useParams()
  const { can } = useSession()
  const [params, setParams] = useSearchParams()
  const { data, error, reload } = usePageQuery(recoverQuery)
  useHealthChanges(id, reload)
  const recoveryId = params.get('recovery')
  const webhook = data?.webhook
  const mayRecover = can('deliveries:write')
  if (data && !webhook && !error) return <NotFoundPage noun="webhook" />
  return (
    <Page
      title="Recover deliveries"
      breadcrumbs={[
        ['Webhooks', '/webhooks'],
        [webhook ? webhookName(webhook) : id, `/webhooks/${id}`],
      ]}
      description="Re-sends the events that this webhook missed or failed to accept in a time range. You can repeat a recovery safely: no event is delivered twice."
    >
      {error && !webhook && <QueryError error={error} reload={reload} />}
      {!webhook && !error && <DetailSkeleton />}
      {recoveryId !== null && <RecoveryProgress key={recoveryId} id={recoveryId} webhookId={id} />}
      {webhook && <RecoverNotice webhook={webhook} reload={reload} />}
      {!mayRecover && <NotAllowed scope="deliveries:write" />}
      {webhook && mayRecover && (
        <RecoverForm webhook={webhook} onBegin={(recovery) => setParams({ recovery })} />
      )}
      {webhook && can('deliveries:read') && <PastRecoveries webhookId={id} />}
    </Page>
  )
}
