import { Button, Switch, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link } from 'react-router'
import { usePageQuery } from '../api/page-query.ts'
import { FilterBar } from '../components/filters/filter-bar.tsx'
import { SearchField } from '../components/filters/search-field.tsx'
import { useFilters } from '../components/filters/use-filters.ts'
import { type Column, List } from '../components/lists/list.tsx'
import { NoMatches } from '../components/lists/no-matches.tsx'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import type { EventTypesCatalogueQuery } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { t } from '../strings/t.ts'
import { eventTypesQuery } from './event-type-queries.ts'

type EventType = EventTypesCatalogueQuery['eventTypes'][number]

/** Shown only beside archived event types. */
const STATE: Column<EventType> = {
  label: t('eventTypes:eventTypesPage.state'),
  cell: ({ archivedAt }) =>
    archivedAt ? (
      <StateBadge label={t('eventTypes:eventTypesPage.archived')} color="gray" />
    ) : (
      <StateBadge label={t('eventTypes:eventTypesPage.active')} color="green" />
    ),
  width: 110,
}

const COLUMNS: readonly Column<EventType>[] = [
  {
    label: t('eventTypes:eventTypesPage.name'),
    cell: ({ name }) => <span className="ph-mono">{name}</span>,
  },
  {
    label: t('eventTypes:eventTypesPage.description'),
    cell: ({ description }) => (
      <Text size="sm" c="dimmed" span>
        {description}
      </Text>
    ),
    grow: true,
    priority: 2,
  },
  STATE,
  {
    label: t('eventTypes:eventTypesPage.updated'),
    cell: ({ updatedAt }) => <Time at={updatedAt} as="relative" />,
    width: 130,
    priority: 3,
  },
]

export default function EventTypesPage() {
  const { can } = useSession()
  const { values, set, clear } = useFilters(['q', 'archived'])
  const { data, error, reload } = usePageQuery(eventTypesQuery)
  const wanted = (values.q ?? '').trim().toLowerCase()
  const kinds = data?.eventTypes.filter(({ archivedAt }) => values.archived || archivedAt === null)
  const rows = kinds?.filter(({ name, description }) =>
    `${name}\n${description}`.toLowerCase().includes(wanted),
  )
  const create = can('admin') && (
    <Button component={Link} to="/event-types/new" leftSection={<IconPlus size={16} />}>
      {t('eventTypes:eventTypesPage.create')}
    </Button>
  )
  return (
    <Page
      title={t('eventTypes:eventTypesPage.title')}
      description={t('eventTypes:eventTypesPage.pageDescription')}
      actions={create}
    >
      <FilterBar active={values.q !== null} clear={clear}>
        <SearchField
          label={t('eventTypes:eventTypesPage.search')}
          placeholder={t('eventTypes:eventTypesPage.searchPlaceholder')}
          w={260}
          value={values.q ?? ''}
          onChange={(q) => set({ q })}
        />
        <Switch
          label={t('eventTypes:eventTypesPage.showArchived')}
          checked={values.archived !== null}
          onChange={(event) => set({ archived: event.currentTarget.checked ? 'shown' : null })}
          mb={5}
        />
      </FilterBar>
      <List
        label={t('eventTypes:eventTypesPage.title')}
        columns={values.archived ? COLUMNS : COLUMNS.filter((column) => column !== STATE)}
        rows={rows}
        keyOf={({ name }) => name}
        to={({ name }) => `/event-types/${name}`}
        error={error}
        retry={reload}
        empty={
          kinds?.length ? (
            <NoMatches noun={t('eventTypes:eventTypesPage.noun')} clear={clear} />
          ) : (
            <EmptyState title={t('eventTypes:eventTypesPage.emptyTitle')} action={create}>
              {can('admin')
                ? t('eventTypes:eventTypesPage.emptyHint')
                : t('eventTypes:eventTypesPage.emptyHintForOthers')}
            </EmptyState>
          )
        }
      />
    </Page>
  )
}
