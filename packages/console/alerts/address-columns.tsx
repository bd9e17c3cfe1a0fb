import { Text } from '@mantine/core'
import type { Column } from '../components/lists/list.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import type { AlertsAddressFragment } from '../generated/graphql.ts'
import { kindsInWords } from './alert-kinds.ts'
import { ResumeAddress } from './resume-address.tsx'

const COLUMNS: readonly Column<AlertsAddressFragment>[] = [
  { label: 'Address', cell: ({ email }) => email, grow: true, width: '30%' },
  {
    label: 'Alerts',
    cell: ({ kinds }) => (
      <Text span size="sm" c="dimmed">
        {kindsInWords(kinds)}
      </Text>
    ),
    grow: true,
    width: '40%',
    priority: 2,
  },
  { label: 'State', cell: (address) => <State address={address} />, grow: true, width: '30%' },
]

const RESUME: Column<AlertsAddressFragment> = {
  label: '',
  cell: (address) => !address.confirmedAt && <ResumeAddress address={address} />,
  width: 100,
  end: true,
}

export const addressColumns = (mayChange: boolean) => (mayChange ? [...COLUMNS, RESUME] : COLUMNS)

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
