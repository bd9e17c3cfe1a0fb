import { usePageQuery } from '../api/page-query.ts'
import { DocsPage } from '../components/docs-page.tsx'
import { Notice } from '../components/page/notice.tsx'
import { Page } from '../components/page/page.tsx'
import { QueryError } from '../components/query-error.tsx'
import { useSession } from '../session/session.tsx'
import { AddressSection } from './address-section.tsx'
import { ChannelSection } from './channels/channel-section.tsx'
import { noticesQuery } from './notices-query.ts'
import { OperationalEvents } from './operational-events.tsx'

export default function NoticesPage() {
  const { viewer, can } = useSession()
  const { data, error, reload } = usePageQuery(noticesQuery)
  const sendsEmail = data?.viewer.sendsEmail === true
  return (
    <Page
      title="Notices"
      description="Posthorn tells people by e-mail and in channels, and programs by events, when a webhook is in trouble, and when it has recovered."
    >
      {error && !data && <QueryError error={error} reload={reload} />}
      {data && !sendsEmail && <NoMailServer />}
      {(data || !error) && (
        <AddressSection
          title={`E-mail about ${viewer.organization.name}`}
          description="An address gets notices once its owner has used the link that Posthorn sends there, and at most ten mails an hour: what is more shares the next one. Each mail has a link to unsubscribe."
          addresses={data?.noticeAddresses}
          ofAllOrganizations={false}
          sendsEmail={sendsEmail}
          reload={reload}
        />
      )}
      {can('admin') && (data || !error) && (
        <AddressSection
          title="E-mail about all organizations"
          description="For the people who operate this installation."
          addresses={data?.ofAllOrganizations}
          ofAllOrganizations
          sendsEmail={sendsEmail}
          reload={reload}
        />
      )}
      {(data || !error) && <ChannelSection />}
      {data?.operationalEvents && <OperationalEvents settings={data.operationalEvents} />}
    </Page>
  )
}

function NoMailServer() {
  const isOperator = useSession().can('admin')
  return (
    <Notice color="yellow" title="Posthorn sends no e-mail here">
      {isOperator ? (
        <>
          Set <span className="ph-mono">POSTHORN_SMTP_URL</span>, the URL of a mail server,{' '}
          <span className="ph-mono">POSTHORN_EMAIL_FROM</span>, the sender, and{' '}
          <span className="ph-mono">POSTHORN_PUBLIC_URL</span>, for links, in the environment of the
          API and of the workers. Then restart Posthorn.{' '}
          <DocsPage page="guides/notices" title="The documentation" /> has the details.
        </>
      ) : (
        'The operator of Posthorn has set no mail server.'
      )}
    </Notice>
  )
}
