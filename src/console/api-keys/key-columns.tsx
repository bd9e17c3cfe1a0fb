import { Badge, Group, Text } from '@mantine/core'
import type { Column } from '../components/lists/list.tsx'
import { Time } from '../components/time.tsx'
import { useSession } from '../session/session.tsx'
import { t } from '../strings/t.ts'
import { type ApiKey, KeyStateBadge, nameOf } from './key-state.tsx'

export const KEY_COLUMNS: readonly Column<ApiKey>[] = [
  { label: t('apiKeys:keyColumns.name'), cell: (apiKey) => <Name apiKey={apiKey} /> },
  {
    label: t('apiKeys:keyColumns.scopes'),
    cell: ({ scopes }) => <Scopes scopes={scopes} />,
    grow: true,
  },
  {
    label: t('apiKeys:keyColumns.limits'),
    cell: ({ requestsPerSecond, eventsPerSecond, deliveriesPerSecond }) => (
      <Text size="xs" span>
        {t('apiKeys:keyColumns.limitsSummary', {
          requests: requestsPerSecond,
          events: eventsPerSecond,
          deliveries: deliveriesPerSecond,
        })}
      </Text>
    ),
    width: 190,
    priority: 3,
  },
  {
    label: t('apiKeys:keyColumns.expires'),
    cell: ({ expiresAt }) =>
      expiresAt ? <Time at={expiresAt} as="upcoming" /> : t('apiKeys:keyColumns.neverExpires'),
    width: 110,
    priority: 2,
  },
  {
    label: t('apiKeys:keyColumns.lastUsed'),
    cell: ({ lastUsedAt }) =>
      lastUsedAt ? <Time at={lastUsedAt} as="relative" /> : t('apiKeys:keyColumns.neverUsed'),
    width: 120,
  },
  {
    label: t('apiKeys:keyColumns.state'),
    cell: (apiKey) => <KeyStateBadge apiKey={apiKey} />,
    width: 100,
  },
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
          {t('apiKeys:keyColumns.currentSession')}
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
      {rest > 0 && ` ${t('apiKeys:keyColumns.moreScopes', { count: rest })}`}
      {scopes.includes('admin') && ` ${t('apiKeys:keyColumns.allScopes')}`}
    </Text>
  )
}
