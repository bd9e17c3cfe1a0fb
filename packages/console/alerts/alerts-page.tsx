import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useRead } from '../api/use-read.ts'
import { DocsPage } from '../components/docs-page.tsx'
import { type Column, List } from '../components/lists/list.tsx'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { Section } from '../components/page/section.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { usePanel } from '../components/use-panel.ts'
import { type AlertsAddressFragment, AlertsDocument } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { AddressDialog } from './address-dialog.tsx'
import { ALL_KINDS } from './alert-kinds.ts'
import { OperationalEvents } from './operational-events.tsx'

/** An empty list changes too. */
const CONTEXT = { additionalTypenames: ['AlertAddress'] }

const COLUMNS: readonly Column<AlertsAddressFragment>[] = [
  { label: 'Address', cell: ({ email }) => email, grow: true, width: '40%' },
  {
    label: 'Alerts',
    cell: ({ kinds }) => `${kinds.length} of ${ALL_KINDS.length} kinds`,
    width: '20%',
    priority: 2,
  },
  { label: 'State', cell: (address) => <State address={address} />, grow: true, width: '40%' },
]

function State({ address: { confirmedAt, rejection } }: { address: AlertsAddressFragment }) {
  if (confirmedAt) return <StateBadge label="Gets mails" color="green" />
  if (rejection == null) return <StateBadge label="Waiting for confirmation" color="yellow" />
  return (
    <>
      <StateBadge label="Rejected" color="red" />
      <span className="ph-below">{rejection}</span>
    </>
  )
}

/** The address of a new one, in the query parameter. */
const NEW = 'new'

export default function AlertsPage() {
  const { viewer, can } = useSession()
  const mayChange = can('webhooks:write')
  const opened = usePanel('address')
  const { data, ...read } = useRead(
    AlertsDocument,
    { isOperator: can('admin') },
    { context: CONTEXT },
  )
  const addresses = data?.alertAddresses
  const address = addresses?.find(({ id }) => id === opened.id)
  const add = mayChange && (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconPlus size={14} />}
      onClick={() => opened.open(NEW)}
    >
      Add address
    </Button>
  )
  const title = `E-mail about ${viewer.organization.name}`
  return (
    <Page
      title="Alerts"
      description="Posthorn tells people by e-mail, and programs and channels by events, when a webhook is in trouble, and when it has recovered."
    >
      <Section
        title={title}
        description={
          <>
            An address gets alerts once its owner has used the link that Posthorn sends there, and
            at most ten mails an hour. Each mail has a link to unsubscribe.{' '}
            <DocsPage page="guides/console" title="The documentation" /> has the details.
          </>
        }
        actions={addresses?.length ? add : undefined}
      >
        <List
          label={title}
          columns={COLUMNS}
          rows={addresses ?? undefined}
          keyOf={({ id }) => id}
          {...(mayChange && { to: ({ id }: AlertsAddressFragment) => opened.to(id) })}
          {...read}
          empty={
            <EmptyState title="No addresses" action={add}>
              Nobody gets an e-mail when a webhook of this organization is in trouble.
            </EmptyState>
          }
        />
      </Section>
      <AddressDialog
        opened={mayChange && addresses != null && (opened.id === NEW || address !== undefined)}
        address={address ?? null}
        onClose={opened.close}
      />
      {data?.operationalEvents && <OperationalEvents settings={data.operationalEvents} />}
    </Page>
  )
}
