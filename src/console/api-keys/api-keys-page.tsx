import { Button, Group, Switch, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link } from 'react-router'
import { usePageQuery } from '../api/page-query.ts'
import { useFilters } from '../components/filters/use-filters.ts'
import { List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { EmptyState } from '../components/page/empty-state.tsx'
import { NeedsScope } from '../components/page/needs-scope.tsx'
import { Page } from '../components/page/page.tsx'
import { usePanel } from '../components/use-panel.ts'
import { useSession } from '../session/session.tsx'
import { t } from '../strings/t.ts'
import { apiKeysQuery, KEYS_PER_PAGE } from './api-keys-query.ts'
import { KEY_COLUMNS } from './key-columns.tsx'
import { KeyPanel } from './key-panel.tsx'
import { NewApiKey } from './new-api-key.tsx'

export default function ApiKeysPage() {
  return (
    <NeedsScope scope="keys:manage" title={t('apiKeys:apiKeysPage.title')}>
      <ApiKeys />
    </NeedsScope>
  )
}

function ApiKeys() {
  const { viewer } = useSession()
  const { values, set } = useFilters(['revoked'])
  const cursors = useCursors(KEYS_PER_PAGE)
  const creating = usePanel('new')
  const opened = usePanel('key')
  const { data, error, stale, reload } = usePageQuery(apiKeysQuery)
  const all = data?.apiKeys?.nodes
  const rows = all?.filter(({ revokedAt }) => values.revoked || !revokedAt)
  const hidden = (all?.length ?? 0) - (rows?.length ?? 0)

  const create = (
    <Button component={Link} to={creating.to('key')} leftSection={<IconPlus size={16} />}>
      {t('apiKeys:apiKeysPage.create')}
    </Button>
  )
  return (
    <Page
      title={t('apiKeys:apiKeysPage.title')}
      description={t('apiKeys:apiKeysPage.description', {
        organization: viewer.organization.name,
      })}
      actions={create}
    >
      <Group mih={24}>
        <Switch
          label={t('apiKeys:apiKeysPage.showRevoked')}
          checked={values.revoked !== null}
          onChange={(event) => set({ revoked: event.currentTarget.checked ? 'shown' : null })}
        />
        <Text size="sm" c="dimmed">
          {hidden > 0 && t('apiKeys:apiKeysPage.hidden', { count: hidden })}
        </Text>
      </Group>
      <List
        label={t('apiKeys:apiKeysPage.title')}
        columns={KEY_COLUMNS}
        rows={rows}
        keyOf={({ id }) => id}
        to={({ id }) => opened.to(id)}
        error={error}
        stale={stale}
        retry={reload}
        pages={{ info: data?.apiKeys?.pageInfo, cursors }}
        empty={
          <EmptyState
            title={
              hidden > 0
                ? t('apiKeys:apiKeysPage.allRevokedTitle')
                : t('apiKeys:apiKeysPage.emptyTitle')
            }
            action={create}
          >
            {t('apiKeys:apiKeysPage.emptyHint')}
          </EmptyState>
        }
      />
      <NewApiKey opened={creating.id !== null} onClose={creating.close} />
      <KeyPanel id={opened.id} onClose={opened.close} />
    </Page>
  )
}
