import { Badge, Button, Group, Switch, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link } from 'react-router'
import { useRead } from '../api/use-read.ts'
import { useFilters } from '../components/filters/use-filters.ts'
import { type Column, List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { Time } from '../components/time.tsx'
import { usePanel } from '../components/use-panel.ts'
import { type ApiKeysFieldsFragment, ApiKeysPageDocument } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { KeyPanel, KeyState, nameOf } from './key-panel.tsx'
import { NewApiKey } from './new-api-key.tsx'

/** Most organizations have fewer keys than this. */
const PER_PAGE = 100

/** An empty list changes too. */
const CONTEXT = { additionalTypenames: ['ApiKey'] }

const COLUMNS: readonly Column<ApiKeysFieldsFragment>[] = [
  { label: 'Name', cell: (apiKey) => <Name apiKey={apiKey} /> },
  {
    label: 'Scopes',
    cell: ({ scopes }) => (scopes.includes('admin') ? 'admin (everything)' : scopes.join(', ')),
    grow: true,
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
  { label: 'State', cell: (apiKey) => <KeyState apiKey={apiKey} />, width: 100 },
]

export default function ApiKeysPage() {
  const { viewer } = useSession()
  const { values, set } = useFilters(['revoked'])
  const cursors = useCursors(PER_PAGE)
  const creating = usePanel('new')
  const opened = usePanel('key')
  const { data, ...read } = useRead(ApiKeysPageDocument, cursors.variables, { context: CONTEXT })
  const create = (
    <Button component={Link} to={creating.to('key')} leftSection={<IconPlus size={16} />}>
      Create API key
    </Button>
  )
  return (
    <Page
      title="API keys"
      description={`Programs authenticate with API keys to act for ${viewer.organization.name}. The scopes of a key limit the actions of its programs.`}
      actions={create}
    >
      <Switch
        label="Show revoked keys"
        checked={values.revoked !== null}
        onChange={(event) => set({ revoked: event.currentTarget.checked ? 'shown' : null })}
      />
      <List
        label="API keys"
        columns={COLUMNS}
        rows={data?.apiKeys?.nodes.filter(({ revokedAt }) => values.revoked || !revokedAt)}
        keyOf={({ id }) => id}
        to={({ id }) => opened.to(id)}
        {...read}
        pages={{ info: data?.apiKeys?.pageInfo, cursors }}
        empty={
          <EmptyState title="No valid API keys" action={create}>
            Create a key for each program that calls the API, with only the scopes it needs.
          </EmptyState>
        }
      />
      <NewApiKey opened={creating.id !== null} onClose={creating.close} />
      <KeyPanel id={opened.id} onClose={opened.close} />
    </Page>
  )
}

interface KeyProps {
  readonly apiKey: ApiKeysFieldsFragment
}

function Name({ apiKey }: KeyProps) {
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
