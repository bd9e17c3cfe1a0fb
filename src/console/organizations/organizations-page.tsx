import { Button, Group } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link } from 'react-router'
import { usePageQuery } from '../api/page-query.ts'
import { FilterBar } from '../components/filters/filter-bar.tsx'
import { SearchField } from '../components/filters/search-field.tsx'
import { useFilters } from '../components/filters/use-filters.ts'
import { Id } from '../components/id.tsx'
import { type Column, List } from '../components/lists/list.tsx'
import { NoMatches } from '../components/lists/no-matches.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { EmptyState } from '../components/page/empty-state.tsx'
import { NeedsScope } from '../components/page/needs-scope.tsx'
import { Page } from '../components/page/page.tsx'
import { Time } from '../components/time.tsx'
import { usePanel } from '../components/use-panel.ts'
import type { OrganizationsFieldsFragment } from '../generated/graphql.ts'
import { t } from '../strings/t.ts'
import { NewOrganization } from './new-organization.tsx'
import { OpenOrganization } from './open-organization.tsx'
import { ORGANIZATION_FILTERS, organizationsQuery } from './organizations-query.ts'
import { RenameOrganization } from './rename-organization.tsx'

type Organization = OrganizationsFieldsFragment

const columns = (renaming: (id: string) => string): readonly Column<Organization>[] => [
  {
    label: t('organizations:organizationsPage.name'),
    cell: ({ name }) => <strong style={{ fontWeight: 600 }}>{name}</strong>,
  },
  {
    label: t('organizations:organizationsPage.id'),
    cell: ({ id }) => <Id id={id} />,
    width: 330,
    priority: 2,
  },
  {
    label: t('organizations:organizationsPage.created'),
    cell: ({ createdAt }) => <Time at={createdAt} as="relative" />,
    width: 120,
    priority: 3,
  },
  {
    label: '',
    end: true,
    cell: ({ id, name }) => (
      <Group gap="xs" justify="end" wrap="nowrap">
        <Button
          component={Link}
          to={renaming(id)}
          size="xs"
          variant="subtle"
          aria-label={t('organizations:organizationsPage.renameLabel', { name })}
        >
          {t('organizations:organizationsPage.rename')}
        </Button>
        <OpenOrganization id={id} name={name} />
      </Group>
    ),
    width: 190,
  },
]

/** For operators: every organization, with a link to act for it. */
export default function OrganizationsPage() {
  return (
    <NeedsScope scope="admin" title={t('organizations:organizationsPage.title')}>
      <Organizations />
    </NeedsScope>
  )
}

function Organizations() {
  const cursors = useCursors()
  const creating = usePanel('new')
  const renaming = usePanel('rename')
  const { values, set, active, clear } = useFilters(ORGANIZATION_FILTERS)
  const { data, error, stale, reload } = usePageQuery(organizationsQuery)
  const create = (
    <Button component={Link} to={creating.to('organization')} leftSection={<IconPlus size={16} />}>
      {t('organizations:organizationsPage.create')}
    </Button>
  )
  return (
    <Page
      title={t('organizations:organizationsPage.title')}
      description={t('organizations:organizationsPage.description')}
      actions={create}
    >
      <FilterBar active={active} clear={clear}>
        <SearchField
          label={t('organizations:organizationsPage.search')}
          placeholder={t('organizations:organizationsPage.searchHint')}
          value={values.search ?? ''}
          onChange={(search) => set({ search })}
        />
      </FilterBar>
      <List
        label={t('organizations:organizationsPage.listLabel')}
        columns={columns(renaming.to)}
        rows={data?.organizations?.nodes}
        keyOf={({ id }) => id}
        error={error}
        stale={stale}
        retry={reload}
        pages={{ info: data?.organizations?.pageInfo, cursors }}
        empty={
          active ? (
            <NoMatches noun={t('organizations:noun')} clear={clear} />
          ) : (
            <EmptyState title={t('organizations:organizationsPage.emptyTitle')} action={create}>
              {t('organizations:organizationsPage.emptyHint')}
            </EmptyState>
          )
        }
      />
      <NewOrganization opened={creating.id !== null} onClose={creating.close} />
      <RenameOrganization id={renaming.id} onClose={renaming.close} />
    </Page>
  )
}
