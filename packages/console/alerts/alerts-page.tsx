import { usePageQuery } from '../api/page-query.ts'
import { DocsPage } from '../components/docs-page.tsx'
import { Page } from '../components/page/page.tsx'
import { QueryError } from '../components/query-error.tsx'
import { useSession } from '../session/session.tsx'
import { AddressSection } from './address-section.tsx'
import { alertsQuery } from './alerts-query.ts'
import { OperationalEvents } from './operational-events.tsx'

export default function AlertsPage() {
  const { viewer } = useSession()
  const { data, error, reload } = usePageQuery(alertsQuery)
  return (
    <Page
      title="Alerts"
      description="Posthorn tells people by e-mail, and programs and channels by events, when a webhook is in trouble, and when it has recovered."
    >
      {error && !data && <QueryError error={error} reload={reload} />}
      {(data || !error) && (
        <AddressSection
          title={`E-mail about ${viewer.organization.name}`}
          description={
            <>
              An address gets alerts once its owner has used the link that Posthorn sends there, and
              at most ten mails an hour. Each mail has a link to unsubscribe.{' '}
              <DocsPage page="guides/alerts" title="The documentation" /> has the details.
            </>
          }
          addresses={data?.alertAddresses}
          reload={reload}
        />
      )}
      {data?.operationalEvents && <OperationalEvents settings={data.operationalEvents} />}
    </Page>
  )
}
