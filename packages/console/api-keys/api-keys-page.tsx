import { Button, Group, Switch, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link } from 'react-router'
import { usePageQuery } from '../api/page-query.ts'
import { useFilters } from '../components/filters/use-filters.ts'
import { List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { usePanel } from '../components/use-panel.ts'
import { formatCount, plural } from '../lib/format.ts'
import { useSession } from '../session/session.tsx'
import { apiKeysQuery, KEYS_PER_PAGE } from './api-keys-query.ts'
import { KEY_COLUMNS } from './key-columns.tsx'
import { NewApiKey } from './new/new-api-key.tsx'
import { KeyPanel } from './panel/key-panel.tsx'

export default function ApiKeysPage() {
  const { viewer } = useSession()
  const { values, set } = useFilters(['revoked'])
  const cursors = useCursors(KEYS_PER_PAGE)
  const creating = usePanel('new')
  const opened = usePanel('key')
  const { data, ...read } = usePageQuery(apiKeysQuery)
  const all = data?.apiKeys?.nodes
  const rows = all?.filter(({ revokedAt }) => values.revoked || !revokedAt)
  const hidden = (all?.length ?? 0) - (rows?.length ?? 0)

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
      <Group mih={24}>
        <Switch
          label="Show revoked keys"
          checked={values.revoked !== null}
          onChange={(event) => set({ revoked: event.currentTarget.checked ? 'shown' : null })}
        />
        <Text size="sm" c="dimmed">
          {hidden > 0 &&
            `${formatCount(hidden)} revoked ${plural(hidden, 'key is', 'keys are')} hidden.`}
        </Text>
      </Group>
      <List
        label="API keys"
        columns={KEY_COLUMNS}
        rows={rows}
        keyOf={({ id }) => id}
        to={({ id }) => opened.to(id)}
        {...read}
        pages={{ info: data?.apiKeys?.pageInfo, cursors }}
        empty={
          <EmptyState
            title={hidden > 0 ? 'All API keys are revoked' : 'No API keys'}
            action={create}
          >
            Create a key for each program that calls the API, with only the scopes it needs.
          </EmptyState>
        }
      />
      <NewApiKey opened={creating.id !== null} onClose={creating.close} />
      <KeyPanel id={opened.id} onClose={opened.close} />
    </Page>
  )
}
