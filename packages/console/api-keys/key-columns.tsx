import { Badge, Group, Text } from '@mantine/core'
import type { Column } from '../components/lists/list.tsx'
import { Time } from '../components/time.tsx'
import { formatCount } from '../lib/format.ts'
import { useSession } from '../session/session.tsx'
import { type ApiKey, KeyStateBadge, nameOf } from './key-state.tsx'

export const KEY_COLUMNS: readonly Column<ApiKey>[] = [
  { label: 'Name', cell: (apiKey) => <Name apiKey={apiKey} /> },
  { label: 'Scopes', cell: ({ scopes }) => <Scopes scopes={scopes} />, grow: true },
  {
    label: 'Limits',
    cell: ({ requestsPerSecond, eventsPerSecond, deliveriesPerSecond }) => (
      <Text size="xs" span>
        {`${formatCount(requestsPerSecond)} requests/s, ${formatCount(eventsPerSecond)} events/s, ${formatCount(deliveriesPerSecond)} deliveries/s`}
      </Text>
    ),
    width: 190,
    priority: 3,
  },
  {
    label: 'Expires',
    cell: ({ expiresAt }) => (expiresAt ? <Time at={expiresAt} as="either" /> : 'Never'),
    width: 110,
    priority: 2,
  },
  {
    label: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} as="relative" /> : 'Never'),
    width: 120,
  },
  { label: 'State', cell: (apiKey) => <KeyStateBadge apiKey={apiKey} />, width: 100 },
]

function Name({ apiKey }: { apiKey: ApiKey }) {
  const { viewer } = useSession()
  return (
    <Group gap={6} wrap="nowrap">
      <span>{nameOf(apiKey)}</span>
      <Text span size="xs" c="dimmed" fw={400} className="ph-mono">
        {apiKey.tokenHint}…
      </Text>
      {viewer.apiKey.id === apiKey.id && (
        <Badge size="xs" variant="default" tt="none" radius="sm">
          current session
        </Badge>
      )}
    </Group>
  )
}

const MAX_SHOWN = 3

function Scopes({ scopes }: { scopes: readonly string[] }) {
  const shown = scopes.includes('admin') ? ['admin'] : scopes.slice(0, MAX_SHOWN)
  const rest = scopes.includes('admin') ? 0 : scopes.length - shown.length
  return (
    <Text size="xs" span>
      <span className="ph-mono">{shown.join(', ')}</span>
      {rest > 0 && ` and ${rest} more`}
      {scopes.includes('admin') && ' (everything)'}
    </Text>
  )
}
