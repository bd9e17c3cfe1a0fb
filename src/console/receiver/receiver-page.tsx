import { Anchor, Group, Text } from '@mantine/core'
import { Link } from 'react-router'
import { usePageQuery } from '../api/page-query.ts'
import { useAction } from '../api/use-action.ts'
import { usePolling } from '../api/use-polling.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { type Column, List } from '../components/lists/list.tsx'
import { notifyError } from '../components/notify.ts'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { PageActions } from '../components/page/page-actions.tsx'
import { Section } from '../components/page/section.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import { usePanel } from '../components/use-panel.ts'
import { type ReceivedRequestFragment, ReceiverConfigureDocument } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import NotFoundPage from '../shell/not-found-page.tsx'
import { ReceivedRequest } from './received-request.tsx'
import { receiverQuery } from './receiver-query.ts'
import { ResponseSwitch } from './response-switch.tsx'

const REFRESH_MS = 1_000

const COLUMNS: readonly Column<ReceivedRequestFragment>[] = [
  { label: 'Event type', cell: (request) => typeOf(request) },
  {
    label: 'Signature',
    cell: ({ signatureIsValid }) => (
      <StateBadge
        label={signatureIsValid ? 'Signature valid' : 'Signature not valid'}
        color={signatureIsValid ? 'green' : 'red'}
      />
    ),
    width: 200,
  },
  { label: 'Response', cell: ({ status }) => status ?? 'No response', width: 130 },
  {
    label: 'Received',
    cell: ({ receivedAt }) => <Time at={receivedAt} as="relative" />,
    width: 140,
  },
]

export default function ReceiverPage() {
  const { can } = useSession()
  const { data, error, reload } = usePageQuery(receiverQuery)
  const { run } = useAction(ReceiverConfigureDocument)
  const opened = usePanel('request')
  usePolling(REFRESH_MS, reload)
  const receiver = data?.testReceiver
  if (data && !receiver) return <NotFoundPage />

  async function clear() {
    const outcome = await run({ input: { clear: true } })
    if (!outcome.ok) notifyError(outcome.message)
    reload()
  }

  return (
    <Page
      title="Test receiver"
      description="A receiver that is part of this trial installation. The receiver verifies the signature of each delivery and shows the requests."
      actions={
        <PageActions
          actions={[
            can('events:publish') && {
              label: 'Publish event',
              to: '/events?publish',
              isPrimary: true,
            },
            can('webhooks:write') &&
              receiver !== null &&
              receiver !== undefined &&
              receiver.requests.length > 0 && { label: 'Clear', onClick: clear },
          ]}
        />
      }
    >
      {receiver && (
        <Group gap={4} wrap="nowrap" miw={0}>
          <Text size="sm" className="ph-mono" truncate title={receiver.url}>
            {receiver.url}
          </Text>
          <CopyButton value={receiver.url} label="Copy the URL of the test receiver" />
        </Group>
      )}
      {receiver && can('webhooks:write') && <ResponseSwitch receiver={receiver} reload={reload} />}
      <Section title="Requests">
        <List
          label="Requests"
          columns={COLUMNS}
          rows={receiver?.requests}
          keyOf={({ number }) => String(number)}
          to={({ number }) =>
            opened.id === String(number) ? opened.closed : opened.to(`${number}`)
          }
          detail={(request) =>
            opened.id === String(request.number) && <ReceivedRequest request={request} />
          }
          error={error}
          reload={reload}
          empty={
            <EmptyState title="No requests yet">
              Register the URL above as a webhook, and publish an event.{' '}
              <Anchor component={Link} to="/overview" inherit underline="always">
                Go to the first steps
              </Anchor>
            </EmptyState>
          }
        />
      </Section>
    </Page>
  )
}

/** The type in the body, which has the form of a delivery unless somebody else sent it. */
function typeOf({ body, bodyTruncated }: ReceivedRequestFragment): string {
  const type = /"type":"([^"\\]*)"/.exec(bodyTruncated ? body.slice(0, 1_000) : body)?.[1]
  return type ?? 'Unknown'
}
